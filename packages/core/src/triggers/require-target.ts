import { agentEditors } from "@parley/db";
import { ParleyError, type TriggerTarget } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { RequestContext, WorkspaceCaller } from "../context.ts";
import { requireLaunch } from "../launches/require-launch.ts";

/**
 * Checks what a trigger is to start for the caller. Throws what is wrong with it, and `app_auth_error` for an agent that the
 * caller may not edit.
 */
export async function requireTarget(
  { database }: Pick<RequestContext, "database">,
  caller: WorkspaceCaller,
  { agent, function: invoked }: TriggerTarget,
): Promise<TriggerTarget> {
  await requireLaunch({ database }, caller, {
    // What is made of an event takes these places.
    agent: agent && { ...agent, message: "-" },
    function: invoked && { ...invoked, input: null },
  });
  if (agent !== undefined) await requireEditor({ database }, caller, agent.agentId);
  return agent === undefined ? { function: invoked } : { agent };
}

async function requireEditor(
  { database: { db } }: Pick<RequestContext, "database">,
  { apiKey, user, workspace }: WorkspaceCaller,
  agentSid: string,
): Promise<void> {
  if (apiKey.role === "admin") return;
  const editors = await db
    .select({ userId: agentEditors.userId })
    .from(agentEditors)
    .where(and(eq(agentEditors.workspaceId, workspace.id), eq(agentEditors.agentSid, agentSid)));
  if (editors.length === 0 || editors.some(({ userId }) => userId === user.id)) return;
  const message = "agent.agentId: only its editors and admins may start this agent by a trigger";
  throw new ParleyError("app_auth_error", message);
}
