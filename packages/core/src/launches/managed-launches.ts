import { agentEditors, type Queryable } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Caller, WorkspaceCaller } from "../context.ts";

/** Whether a caller manages only what starts functions, and agents that it edits: all but admins. */
export const isBuilder = (caller: Caller): caller is WorkspaceCaller =>
  caller.kind === "workspace" && caller.apiKey.role !== "admin";

/** The columns of something that is stored to be started later. */
interface Stored {
  readonly workspaceId: AnyPgColumn;
  readonly launch: AnyPgColumn;
}

/** The id of the agent that is started. */
export const agentOf = (launch: AnyPgColumn) => sql<string | null>`${launch} #>> '{agent,agentId}'`;

/**
 * The condition that the caller manages what is stored to be started later: an admin all; a builder what starts functions,
 * and agents that name no editors, or the builder as one.
 */
export function managesLaunch(caller: Caller, { workspaceId, launch }: Stored): SQL | undefined {
  if (!isBuilder(caller)) return undefined;
  const editors = (where?: SQL) => sql`(
    select true from ${agentEditors}
    where ${and(
      eq(agentEditors.workspaceId, workspaceId),
      eq(agentEditors.agentSid, agentOf(launch)),
      where,
    )} limit 1)`;
  return or(
    sql`${agentOf(launch)} is null`,
    sql`${editors()} is null`,
    sql`${editors(eq(agentEditors.userId, caller.user.id))} is not null`,
  );
}

/** Throws `app_auth_error` unless the caller is an admin, or edits the agent: one that names no editors, or the caller as one. */
export async function requireEditor(
  db: Queryable,
  caller: WorkspaceCaller,
  agentSid: string,
): Promise<void> {
  if (!isBuilder(caller)) return;
  const { user, workspace } = caller;
  const editors = await db
    .select({ userId: agentEditors.userId })
    .from(agentEditors)
    .where(and(eq(agentEditors.workspaceId, workspace.id), eq(agentEditors.agentSid, agentSid)));
  if (editors.length === 0 || editors.some(({ userId }) => userId === user.id)) return;
  const message =
    "agent.agentId: only its editors and admins may start this agent at times or by events";
  throw new ParleyError("app_auth_error", message);
}
