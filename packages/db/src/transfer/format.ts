/**
 * A database as lines of JSON, in the order in which it can be written again:
 *
 *     {"parley": "export", "format": 1, "migration": "…"}
 *     {"table": "workspaces", "columns": ["id", "sid"]}
 *     ["1", "xLSOomN918"]
 *     {"sequence": "row_ids", "last": "1001", "called": true}
 *     {"end": {"rows": 1, "sha256": "…"}}
 *
 * A row is an array of what PostgreSQL prints of its columns, so that every value comes back as it was,
 * whatever its type. The end holds the hash of all lines before it.
 */
import type { Queryable } from "../database.ts";
import { sql } from "drizzle-orm";

/** The version of the lines, not that of the tables. */
export const FORMAT = 1;

/** A database cannot be exported, or not be imported; the message says why. */
export class RefusedTransfer extends Error {
  override readonly name = "RefusedTransfer";
}

/** A table that is moved, with its columns in their order. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** A table after those that its rows refer to. Throws where they refer to each other in a circle. */
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

/** The tables of Parley in the order in which their rows can be written. */
export async function readTables(db: Queryable): Promise<MovedTable[]> {
  const columns = await select<{ table: string; name: string; type: string }>(
    db,
    `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped
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

/** What tells which tables a database has: the hash of the last migration. */
export async function readMigration(db: Queryable): Promise<string> {
  const query = `select hash from drizzle.__drizzle_migrations order by created_at desc limit 1`;
  const [row] = await select<{ hash: string }>(db, query);
  if (row === undefined) throw new Error("The database has no tables");
  return row.hash;
}

/** Runs a statement that holds no values. */
export async function select<Row>(db: Queryable, query: string): Promise<Row[]> {
  const result = await db.execute(sql.raw(query));
  // Both drivers give the rows there.
  return (result as { rows: Row[] }).rows;
}

/** A name that PostgreSQL gave, as it can be written into a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Values are printed alike whatever the server's settings are, rows come in one order, and who reads may be slow. */
export async function prepareTransfer(db: Queryable): Promise<void> {
  await db.execute(
    sql.raw(`select set_config(name, value, true) from (values
      ('timezone', 'UTC'), ('datestyle', 'ISO, MDY'), ('bytea_output', 'hex'),
      ('extra_float_digits', '1'), ('synchronize_seqscans', 'off'),
      ('idle_in_transaction_session_timeout', '0')) s(name, value)`),
  );
}
