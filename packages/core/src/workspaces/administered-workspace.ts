/** What the administration of all features shares. */
import { type Queryable, statement, workspaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Caller, RequestContext } from "../context.ts";
import { allColumns } from "../data-access/row-json.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";

const findWorkspace = statement<{ sid: string }, WorkspaceRow>(
  "find_workspace",
  sql`select ${allColumns(workspaces)} from ${workspaces}
    where ${and(eq(workspaces.sid, sql.placeholder("sid")), isNull(workspaces.deletedAt))}`,
);

/**
 * The workspace of an administrative call, read now. A workspace's key reaches its own workspace,
 * which was checked before; an operator any. Throws `workspace_not_found`, also while the workspace is
 * being deleted.
 */
export async function administeredWorkspace(
  context: RequestContext,
  db: Queryable,
  sid: string,
): Promise<WorkspaceRow> {
  const { caller } = context;
  const id = caller.kind === "workspace" ? caller.workspace.sid : sid;
  const [row] = await findWorkspace.execute(db, { sid: id });
  if (row === undefined) {
    throw new ParleyError("workspace_not_found", "wId: no such workspace");
  }
  return row;
}

/** The user that a change is recorded under; operators have none. */
export function editorOf(caller: Caller): number | null {
  return caller.kind === "workspace" ? caller.user.id : null;
}

/** Throws `version_conflict` unless a locked row has the version that the change is based on. */
export function requireVersion(
  what: string,
  { version }: { readonly version: number },
  expected: number,
): void {
  if (version === expected) return;
  const message = `version: the ${what} has changed since; it is now at version ${version}`;
  throw new ParleyError("version_conflict", message);
}

/**
 * The found rows of the ids that a request names, once each and in the order of the request. Throws
 * `refuse(sid)` for the first id without a row.
 */
export function requireFound<Row extends { readonly sid: string }>(
  found: readonly Row[],
  sids: readonly string[],
  refuse: (sid: string) => ParleyError,
): Row[] {
  const bySid = new Map(found.map((row) => [row.sid, row]));
  return [...new Set(sids)].map((sid) => {
    const row = bySid.get(sid);
    if (row === undefined) throw refuse(sid);
    return row;
  });
}

/** The moves between the states of something: for each, the states it starts from and leads to. */
export type Moves<Status extends string, Move extends string> = Readonly<
  Record<Move, Partial<Record<Status, Status>>>
>;

/** The state that a move leads to. Throws `invalid_request_error` if it does not start from `status`. */
export function moveState<Status extends string, Move extends string>(
  what: string,
  { moves, status, move }: { moves: Moves<Status, Move>; status: Status; move: Move },
): Status {
  const next = moves[move][status];
  if (next !== undefined) return next;
  const from = Object.keys(moves[move]).join(" or ");
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request body: the ${what} is ${status}, and ${move} needs one that is ${from}`,
  );
}
