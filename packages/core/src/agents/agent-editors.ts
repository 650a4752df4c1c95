/** The editors of agents: users of the workspace, the same in all versions of an agent. */
import { agentEditors, type Queryable, replaceRows, statement, users } from "@parley/db";
import { ParleyError, type Warning } from "@parley/schema";
import { and, asc, eq, inArray, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Caller, WorkspaceCaller } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { requireUsers } from "../workspaces/users.ts";

type Agent = Pick<AgentRow, "workspaceId" | "sid">;

const ofAgent = ({ workspaceId, sid }: Agent) =>
  and(eq(agentEditors.workspaceId, workspaceId), eq(agentEditors.agentSid, sid));

/** Throws `app_auth_error` if a caller that is not an admin names editors. */
export function requireEditorChoice(
  caller: Caller,
  editorIds: readonly string[] | undefined,
): void {
  if (editorIds === undefined || caller.kind === "operator") return;
  if (caller.apiKey.role === "admin") return;
  throw new ParleyError("app_auth_error", "editorIds: only admins can set the editors of agents");
}

/** The ids of an agent's editors, the oldest user's first. */
export async function findEditorIds(db: Queryable, agent: Agent): Promise<string[]> {
  const rows = await db
    .select({ sid: users.sid })
    .from(agentEditors)
    .innerJoin(users, eq(users.id, agentEditors.userId))
    .where(and(ofAgent(agent), isNull(users.removedAt)))
    .orderBy(asc(users.id));
  return rows.map(({ sid }) => sid);
}

/** Replaces the editors of a locked agent. Throws `member_not_found`. */
export async function setEditors(
  db: Queryable,
  agent: Agent,
  editorIds: readonly string[],
): Promise<void> {
  const { workspaceId, sid: agentSid } = agent;
  const found = await requireUsers(db, { workspaceId, sids: editorIds, member: "editorIds" });
  const rows = found.map(({ id: userId }) => ({ workspaceId, agentSid, userId }));
  await replaceRows(db, agentEditors, { where: ofAgent(agent)!, rows });
}

const membersStatement = statement<
  { workspaceId: number; emails: string[] },
  { sid: string; place: number }
>(
  "find_members_by_email",
  sql`
  select u.sid, given.place::int as place
  from unnest(${sql.placeholder("emails")}::text[]) with ordinality given(email, place)
  join users u on u.workspace_id = ${sql.placeholder("workspaceId")}
    and lower(u.email) = lower(given.email) and u.email <> '' and u.removed_at is null
  -- None of them is removed before it is an editor.
  for share of u`,
);

/** The members with these e-mail addresses, in any case, and a warning for each address without one. */
export async function findEditors(
  db: Queryable,
  workspaceId: number,
  emails: readonly string[],
): Promise<{ editorIds: string[]; warnings: Warning[] }> {
  const rows = await membersStatement.execute(db, { workspaceId, emails: [...emails] });
  const found = new Set(rows.map(({ place }) => place - 1));
  const missing = [...emails.keys()].filter((index) => !found.has(index));
  return {
    editorIds: [...new Set(rows.map(({ sid }) => sid))],
    warnings: missing.map((index) => ({
      path: `editors[${index}]`,
      message: "Not an editor: the workspace has no member with this e-mail address",
    })),
  };
}

/** Whether a caller sets up only what is about agents that it edits: all but admins. */
export const isBuilder = (caller: Caller): caller is WorkspaceCaller =>
  caller.kind === "workspace" && caller.apiKey.role !== "admin";

/** The condition that a builder edits an agent: one that names no editors, or the builder as one. */
export function editsAgent(
  { user }: WorkspaceCaller,
  { workspaceId, agentSid }: { workspaceId: SQLWrapper; agentSid: SQL },
): SQL {
  const editors = (where?: SQL) => sql`(
    select true from ${agentEditors}
    where ${and(eq(agentEditors.workspaceId, workspaceId), eq(agentEditors.agentSid, agentSid), where)}
    limit 1)`;
  return sql`(${or(
    sql`${editors()} is null`,
    sql`${editors(eq(agentEditors.userId, user.id))} is not null`,
  )})`;
}

/** Throws `app_auth_error` at a member of the request unless the caller is an admin, or edits the agents. */
export async function requireEditor(
  db: Queryable,
  caller: Caller,
  { agentSids, member }: { agentSids: readonly string[]; member: string },
): Promise<void> {
  if (!isBuilder(caller)) return;
  const { user, workspace } = caller;
  const rows = await db
    .select({ agentSid: agentEditors.agentSid, userId: agentEditors.userId })
    .from(agentEditors)
    .where(
      and(
        eq(agentEditors.workspaceId, workspace.id),
        inArray(agentEditors.agentSid, [...agentSids]),
      ),
    );
  const own = new Set(rows.flatMap(({ agentSid, userId }) => (userId === user.id ? agentSid : [])));
  const foreign = rows.find(({ agentSid }) => !own.has(agentSid));
  if (foreign === undefined) return;
  const message = `${member}: only admins and the editors of the agent ${foreign.agentSid} may name it here`;
  throw new ParleyError("app_auth_error", message);
}
