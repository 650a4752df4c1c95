import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Database, Queryable } from "../database.ts";
import type { Transferred } from "./export-database.ts";
import {
  FORMAT,
  type MovedTable,
  prepareTransfer,
  quoted,
  readMigration,
  readTables,
  RefusedTransfer,
  select,
} from "./format.ts";

/** Rows of one statement, and characters after which it is sent. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 1024 * 1024;

const Header = z.object({ parley: z.literal("export"), format: z.int(), migration: z.string() });
const Sequence = z.object({ sequence: z.string(), last: z.string(), called: z.boolean() });
type Sequence = z.output<typeof Sequence>;
const Marker = z.union([
  z.object({ table: z.string(), columns: z.array(z.string()) }),
  Sequence,
  z.object({ end: z.object({ rows: z.int(), sha256: z.string() }) }),
]);

/**
 * Writes the lines of an export into an empty database, in one transaction. Throws `RefusedTransfer` if
 * the database is not empty, has other tables than the exported one, or the export is incomplete.
 */
export async function importDatabase(
  database: Database,
  lines: AsyncIterable<string>,
): Promise<Transferred> {
  return database.slow.transaction(async (db) => {
    await prepareTransfer(db);
    const tables = await readTables(db);
    await lockEmpty(db, tables);
    await setTriggers(db, tables, "disable");
    const imported = await importLines(db, tables, lines);
    await setTriggers(db, tables, "enable");
    return imported;
  });
}

/** Locks the tables against writes, and refuses tables with rows. */
async function lockEmpty(db: Queryable, tables: readonly MovedTable[]): Promise<void> {
  const names = tables.map(({ name }) => quoted(name));
  await select(db, `lock table ${names.join(", ")} in exclusive mode`);
  for (const name of names) {
    const [row] = await select<{ found: boolean }>(
      db,
      `select exists (select 1 from ${name}) as found`,
    );
    if (row?.found) {
      throw new RefusedTransfer(
        `The database is in use (its table ${name} has rows): use an empty one`,
      );
    }
  }
}

/** Rows contain what the triggers did when they were first written. */
async function setTriggers(
  db: Queryable,
  tables: readonly MovedTable[],
  verb: "disable" | "enable",
): Promise<void> {
  for (const { name } of tables)
    await select(db, `alter table ${quoted(name)} ${verb} trigger user`);
}

async function importLines(
  db: Queryable,
  tables: readonly MovedTable[],
  lines: AsyncIterable<string>,
): Promise<Transferred> {
  const known = new Map(tables.map((table) => [table.name, table]));
  const hash = createHash("sha256");
  const total = { tables: 0, rows: 0 };
  const sequences = new Map<string, Sequence>();
  let table: MovedTable | undefined;
  let batch: string[] = [];
  let characters = 0;
  let hasHeader = false;
  let hasEnded = false;

  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    if (table === undefined)
      throw new RefusedTransfer("The export begins with rows that have no table");
    await insertRows(db, table, batch);
    total.rows += batch.length;
    batch = [];
    characters = 0;
  };

  for await (const line of lines) {
    if (hasEnded) throw new RefusedTransfer("The export continues after its end");
    if (!hasHeader) {
      await checkHeader(db, line);
      hasHeader = true;
    } else if (line.startsWith("[")) {
      batch.push(line);
      characters += line.length;
      if (batch.length >= MAX_ROWS || characters >= MAX_CHARACTERS) await flush();
    } else {
      await flush();
      const marker = parse(Marker, line);
      if ("table" in marker) {
        table = requireTable(known, marker);
        total.tables++;
      } else if ("sequence" in marker) {
        sequences.set(marker.sequence, marker);
      } else {
        const isWhole = marker.end.rows === total.rows && marker.end.sha256 === hash.digest("hex");
        if (!isWhole) throw new RefusedTransfer("The export was changed since it was written");
        hasEnded = true;
      }
    }
    if (!hasEnded) hash.update(`${line}\n`);
  }
  if (!hasEnded) throw new RefusedTransfer("The export has no end: it was cut off");
  // Setting a sequence is not rolled back.
  for (const sequence of sequences.values()) await setSequence(db, sequence);
  return total;
}

async function checkHeader(db: Queryable, line: string): Promise<void> {
  const header = parse(Header, line);
  if (header.format !== FORMAT || header.migration !== (await readMigration(db))) {
    throw new RefusedTransfer(
      "The export was written by another version of Parley: export and import with the same one",
    );
  }
}

function requireTable(
  known: ReadonlyMap<string, MovedTable>,
  { table, columns }: { table: string; columns: readonly string[] },
): MovedTable {
  const found = known.get(table);
  const names = found?.columns.map(({ name }) => name) ?? [];
  // The order of columns may differ.
  if (found === undefined || columns.toSorted().join() !== names.toSorted().join()) {
    throw new RefusedTransfer(`The database has no such table as the export's ${table}`);
  }
  const types = new Map(found.columns.map(({ name, type }) => [name, type]));
  return { name: table, columns: columns.map((name) => ({ name, type: types.get(name) ?? "" })) };
}

async function insertRows(
  db: Queryable,
  { name, columns }: MovedTable,
  rows: readonly string[],
): Promise<void> {
  const names = columns.map((column) => quoted(column.name)).join(", ");
  const values = columns.map(({ type }, index) => `(value ->> ${index})::${type}`).join(", ");
  await db.execute(
    sql`insert into ${sql.raw(`${quoted(name)} (${names}) overriding system value
      select ${values}`)} from json_array_elements(${`[${rows.join(",")}]`}::json)`,
  );
}

async function setSequence(db: Queryable, { sequence, last, called }: Sequence): Promise<void> {
  await db.execute(sql`select setval(${quoted(sequence)}::regclass, ${last}::bigint, ${called})`);
}

function parse<T>(schema: z.ZodType<T>, line: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  const result = schema.safeParse(value);
  // The message omits the line, which may hold user data.
  if (!result.success) throw new RefusedTransfer("This is not a Parley export, or it was cut off");
  return result.data;
}
