import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database, Queryable } from "../database.ts";
import {
  FORMAT,
  type MovedTable,
  prepareTransfer,
  quoted,
  readMigration,
  readTables,
  select,
} from "./format.ts";

/** Rows to fetch at once, and about how many bytes. */
const MAX_ROWS = 256;
const MAX_BYTES = 1024 * 1024;

/** What was exported or imported. */
export interface Transferred {
  readonly tables: number;
  readonly rows: number;
}

/** Hears how far an export is. */
export interface ExportProgress {
  /** Called once, with about as many rows as there are. */
  begin(rows: number): void;
  advance(rows: number): void;
}

/**
 * Writes all rows of a database as lines, from one snapshot. `write` is called with some lines at a time
 * and awaited; the memory that this takes is bounded.
 */
export async function exportDatabase(
  database: Database,
  write: (lines: string) => Promise<void>,
  progress: ExportProgress = { begin: () => {}, advance: () => {} },
): Promise<Transferred> {
  return database.slow.transaction(async (db) => {
    await db.execute(sql`set transaction isolation level repeatable read, read only`);
    await prepareTransfer(db);
    const hash = createHash("sha256");
    const send = async (text: string): Promise<void> => {
      hash.update(text);
      await write(text);
    };
    const sendJson = (value: object) => send(`${JSON.stringify(value)}\n`);
    await sendJson({ parley: "export", format: FORMAT, migration: await readMigration(db) });
    const tables = await readTables(db);
    progress.begin(await estimateRows(db, tables));
    let rows = 0;
    for (const table of tables) {
      await sendJson({ table: table.name, columns: table.columns.map(({ name }) => name) });
      rows += await exportRows(db, table, { send, advance: progress.advance });
    }
    for (const sequence of await readSequences(db)) await sendJson(sequence);
    await write(`${JSON.stringify({ end: { rows, sha256: hash.digest("hex") } })}\n`);
    return { tables: tables.length, rows };
  });
}

async function exportRows(
  db: Queryable,
  { name, columns }: MovedTable,
  { send, advance }: { send: (text: string) => Promise<void>; advance: (rows: number) => void },
): Promise<number> {
  const values = columns.map((column) => `${quoted(column.name)}::text`).join(", ");
  const declare = (cursor: string, expression: string) =>
    select(db, `declare ${cursor} no scroll cursor for select ${expression} from ${quoted(name)}`);
  // A cursor fetches a number of rows of any size, so another one reads their sizes first.
  await declare("sizes", `${columns.map(sizeOf).join(" + ")} as size`);
  await declare("exported", `json_build_array(${values})::text as line`);
  let rows = 0;
  for (;;) {
    const sizes = await select<{ size: number }>(db, `fetch ${MAX_ROWS} from sizes`);
    for (const count of countsWithin(sizes.map(({ size }) => size))) {
      const fetched = await select<{ line: string }>(db, `fetch ${count} from exported`);
      rows += fetched.length;
      advance(fetched.length);
      await send(fetched.map(({ line }) => `${line}\n`).join(""));
    }
    if (sizes.length < MAX_ROWS) break;
  }
  await select(db, "close sizes");
  await select(db, "close exported");
  return rows;
}

/** What PostgreSQL knows of its tables without reading them. */
async function estimateRows(db: Queryable, tables: readonly MovedTable[]): Promise<number> {
  const found = await select<{ name: string; rows: number }>(
    db,
    `select c.relname as name, greatest(c.reltuples, s.n_live_tup, 0)::float8 as rows
    from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
    where c.relnamespace = 'public'::regnamespace`,
  );
  const names = new Set(tables.map(({ name }) => name));
  return found.reduce((sum, { name, rows }) => sum + (names.has(name) ? rows : 0), 0);
}

/** SQL for about the printed bytes of a column; it does not read large texts. */
function sizeOf({ name, type }: MovedTable["columns"][number]): string {
  if (type === "text") return `coalesce(octet_length(${quoted(name)}), 0)`;
  if (type === "bytea") return `coalesce(2 * octet_length(${quoted(name)}), 0)`;
  return type === "jsonb" || type === "json"
    ? `coalesce(octet_length(${quoted(name)}::text), 0)`
    : "20";
}

/** Numbers of rows to fetch: each batch is within `MAX_BYTES`, or has one row. */
export function countsWithin(sizes: readonly number[]): number[] {
  const counts: number[] = [];
  let bytes = Infinity;
  for (const size of sizes) {
    bytes += size;
    if (bytes > MAX_BYTES) {
      counts.push(0);
      bytes = size;
    }
    counts[counts.length - 1]! += 1;
  }
  return counts;
}

async function readSequences(db: Queryable): Promise<object[]> {
  const names = await select<{ sequence: string }>(
    db,
    `select relname as sequence from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`,
  );
  const sequences = [];
  for (const { sequence } of names) {
    const query = `select last_value::text as last, is_called as called from ${quoted(sequence)}`;
    sequences.push({ sequence, ...(await select<object>(db, query))[0] });
  }
  return sequences;
}
