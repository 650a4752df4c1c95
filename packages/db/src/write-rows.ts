import type { InferInsertModel, InferSelectModel, SQL } from "drizzle-orm";
import type { PgInsertValue, PgTable } from "drizzle-orm/pg-core";
import type { Queryable } from "./database.ts";

/** Inserts a row, and gives it as the database stores it. */
export async function insertRow<Table extends PgTable>(
  db: Queryable,
  table: Table,
  values: InferInsertModel<Table>,
): Promise<InferSelectModel<Table>> {
  const [row] = await db
    .insert(table)
    .values(values as PgInsertValue<Table>)
    .returning();
  if (row === undefined) throw new Error("The row was not written");
  // Drizzle does not infer the columns of a table that is a type parameter.
  return row as InferSelectModel<Table>;
}

/** Deletes the rows that fulfil the condition, and inserts these in their place. */
export async function replaceRows<Table extends PgTable>(
  db: Queryable,
  table: Table,
  { where, rows }: { where: SQL; rows: readonly InferInsertModel<Table>[] },
): Promise<void> {
  await db.delete(table).where(where);
  if (rows.length > 0) await db.insert(table).values([...rows] as PgInsertValue<Table>[]);
}
