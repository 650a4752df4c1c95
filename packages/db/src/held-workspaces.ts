import { type SQL, sql } from "drizzle-orm";

/** Class of the advisory locks on workspaces, as in the migration that creates `hold_workspaces`. */
const LOCK_CLASS = 1_886_680_172;

/**
 * Part of a statement that writes into the workspaces of the placeholder `workspaceIds`, a JSON array of
 * numbers: it locks them against deletion until the transaction ends, and fails if one is being deleted.
 * The writes must select from `held` `where is_held`, or it is not evaluated.
 */
export const heldWorkspaces = sql`
  held as (
    select hold_workspaces(array(
      select value::bigint from json_array_elements_text(${sql.placeholder("workspaceIds")}::json)
    )) as is_held
  )`;

/**
 * Waits for the locks of `hold_workspaces` on the workspace, and prevents new ones until the transaction
 * ends.
 */
export const lockHeldWorkspace = (id: number): SQL =>
  sql`select pg_advisory_xact_lock(${LOCK_CLASS}, ${id}::integer)`;

/** Whether an error says that the workspace of a write is deleted or being deleted. */
export function isWorkspaceDeleted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("constraint" in error && error.constraint === "held_workspaces") return true;
  return isWorkspaceDeleted(error.cause);
}
