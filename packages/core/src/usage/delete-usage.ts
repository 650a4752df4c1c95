import {
  budgetHolds,
  budgets,
  budgetSpending,
  modelPrices,
  type Queryable,
  statement,
} from "@parley/db";
import { eq, inArray, sql } from "drizzle-orm";
import type { Process } from "../context.ts";

const ROWS_AT_ONCE = 2000;

const some = (table: string) => sql`
  select ctid from ${sql.identifier(table)}
  where workspace_id = ${sql.placeholder("workspaceId")}::bigint limit ${sql.placeholder("limit")}`;

// A call that is never settled counts in full in the budgets of the server.
const deleteReservations = sql`
  with gone as (
    delete from usage_reservations where ctid in (${some("usage_reservations")}) returning id
  ),
  settled as (
    update budget_holds set settled = amount
    where reservation_id in (select id from gone) and settled is null
  )
  select count(*)::int as count from gone`;

const deleteFrom = (table: string) => sql`
  with gone as (
    delete from ${sql.identifier(table)} where ctid in (${some(table)}) returning 1
  )
  select count(*)::int as count from gone`;

const statements = Object.entries({
  usage_reservations: deleteReservations,
  usage_entries: deleteFrom("usage_entries"),
  usage_sums: deleteFrom("usage_sums"),
}).map(([table, query]) =>
  statement<{ workspaceId: number; limit: number }, { count: number }>(`delete_${table}`, query),
);

/** Deletes a batch of what the models of a workspace have cost, and gives how many rows. */
export async function deleteSomeUsage(
  { database }: Pick<Process, "database">,
  workspaceId: number,
): Promise<number> {
  for (const one of statements) {
    const [row] = await one.execute(database.db, { workspaceId, limit: ROWS_AT_ONCE });
    if (row !== undefined && row.count > 0) return row.count;
  }
  return 0;
}

/** Deletes the prices and the budgets of a workspace, with what was counted for them. */
export async function deletePricesAndBudgets(db: Queryable, workspaceId: number): Promise<void> {
  const ids = db
    .select({ id: budgets.id })
    .from(budgets)
    .where(eq(budgets.workspaceId, workspaceId));
  await db.delete(budgetHolds).where(inArray(budgetHolds.budgetId, ids));
  await db.delete(budgetSpending).where(inArray(budgetSpending.budgetId, ids));
  await db.delete(budgets).where(eq(budgets.workspaceId, workspaceId));
  await db.delete(modelPrices).where(eq(modelPrices.workspaceId, workspaceId));
}
