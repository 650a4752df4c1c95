import { type SQL, sql } from "drizzle-orm";
import { hasBudget } from "../data-access/has-budget.ts";

const ofWorkspaces = sql`
  b.measure = 'stored_bytes' and b.scope = 'workspace' and b.subject is null and b.is_hard`;

/** The bytes that the workspace of this number may store by its budgets and the server's; null without any. */
export const storedBytesLimit = (workspaceId: SQL): SQL<number | null> => sql`least(
  (select min(b."limit") from budgets b where b.workspace_id = ${workspaceId} and ${ofWorkspaces}),
  (select min(b."limit") from budgets b where b.workspace_id is null and ${ofWorkspaces})
)`;

/** Whether users of the workspace of this number may have a limit of what they store. */
export const hasUserLimit = (workspaceId: SQL): SQL<boolean> =>
  hasBudget(workspaceId, "stored_bytes", sql`b.scope = 'user' and b.is_hard`);
