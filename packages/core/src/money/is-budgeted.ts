import { hasRow } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Whether a budget of money applies in the workspace of this number. */
export const isBudgeted = (workspaceId: SQL): SQL<boolean> => sql`(
  ${hasRow(sql`from budgets b where b.workspace_id = ${workspaceId} and b.measure = 'money'`)}
  or ${hasRow(sql`from budgets b where b.workspace_id is null and b.measure = 'money'`)})`;
