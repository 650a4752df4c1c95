import { type BudgetMeasure, hasRow } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Whether the workspace of this number, or the server, has a budget of a measure, and of `where`. */
export function hasBudget(
  workspaceId: SQL,
  measure: BudgetMeasure,
  where: SQL = sql`true`,
): SQL<boolean> {
  // The measures are words of ours.
  const ofMeasure = sql`b.measure = ${sql.raw(`'${measure}'`)} and ${where}`;
  return sql`(
    ${hasRow(sql`from budgets b where b.workspace_id = ${workspaceId} and ${ofMeasure}`)}
    or ${hasRow(sql`from budgets b where b.workspace_id is null and ${ofMeasure}`)})`;
}
