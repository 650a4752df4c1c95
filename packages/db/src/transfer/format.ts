/**
 * A database as lines of JSON, in the order in which it can be written again:
 *
 *     {"parley": "export", "format": 1, "migration": "…"}
 *     {"table": "workspaces", "columns": ["id", "sid"]}
 *     ["1", "xLSOomN918"]
 *     {"sequence": "row_ids", "last": "1001", "called": true}
 *     {"end": {"rows": 1, "sha256": "…"}}
 *
 * A row is an array of its columns as PostgreSQL prints them, so that values of every type are preserved.
 * The end holds the hash of all lines before it.
 */
import type { Queryable } from "../database.ts";
import { sql } from "drizzle-orm";

/** The version of the format, not of the tables. */
export const FORMAT = 1;

/** A database cannot be exported or imported; the message says why. */
export class RefusedTransfer extends Error {
  override readonly name = "RefusedTransfer";
}

/** A table to transfer, with its columns in order. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Sorts tables after those that they refer to. Throws for circular references. */
export function inOrderOfReferences(
  tables: readonly MovedTable[],
  references: readonly { readonly from: string; readonly to: string }[],
): MovedTable[] {
  const ordered: MovedTable[] = [];
  const left = new Map(tables.map((table) => [table.name, table]));
  while (left.size > 0) {
    const free = left
      .values()
      .filter(
        ({ name }) =>
          !references.some(({ from, to }) => from === name && to !== name && left.has(to)),
      )
      .toArray();
    if (free.length === 0) throw new Error("The tables refer to each other in a circle");
    for (const table of free) left.delete(table.name);
    ordered.push(...free.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }
  return ordered;
}

/**
 * Parley's tables, without the unlogged ones and without generated columns, in the order in which their rows
 * can be written.
 */
export async function readTables(db: Queryable): Promise<MovedTable[]> {
  const columns = await select<{ table: string; name: string; type: string }>(
    db,
    `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and c.relpersistence = 'p' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname, a.attnum`,
  );
  const references = await select<{ from: string; to: string }>(
    db,
    `select f.relname as "from", t.relname as "to"
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  );
  const tables = Map.groupBy(columns, ({ table }) => table)
    .entries()
    .map(([name, own]) => ({
      name,
      columns: own.map((one) => ({ name: one.name, type: one.type })),
    }))
    .toArray();
  return inOrderOfReferences(tables, references);
}

/** The hash of the last migration, which identifies the tables of a database. */
export async function readMigration(db: Queryable): Promise<string> {
  const query = `select hash from drizzle.__drizzle_migrations order by created_at desc limit 1`;
  const [row] = await select<{ hash: string }>(db, query);
  if (row === undefined) throw new Error("The database has no tables");
  return row.hash;
}

/** Runs a statement without parameters. */
export async function select<Row>(db: Queryable, query: string): Promise<Row[]> {
  const result = await db.execute(sql.raw(query));
  // The driver gives the rows there.
  return (result as { rows: Row[] }).rows;
}

/** A name as an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes printed values and the order of rows independent of settings, and allows slow readers. */
export async function prepareTransfer(db: Queryable): Promise<void> {
  await db.execute(
    sql.raw(`select set_config(name, value, true) from (values
      ('timezone', 'UTC'), ('datestyle', 'ISO, MDY'), ('bytea_output', 'hex'),
      ('extra_float_digits', '1'), ('synchronize_seqscans', 'off'),
      ('idle_in_transaction_session_timeout', '0')) s(name, value)`),
  );
}
