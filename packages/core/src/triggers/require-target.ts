import { agentEditors, type Queryable } from "@parley/db";
import { ParleyError, type TriggerTarget } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { findActiveAgents, noSuchAgent } from "../agents/agents.ts";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { getSandboxFunction } from "../functions/sandbox-functions.ts";

/**
 * What a trigger starts, with the id of a function in place of its slug. Throws `agent_not_found`,
 * `sandbox_function_not_found`, and `app_auth_error` for an agent that the caller may not edit.
 */
export async function requireTarget(
  { caller }: Pick<RequestContext, "caller">,
  db: Queryable,
  { id: workspaceId }: WorkspaceRow,
  target: TriggerTarget,
): Promise<TriggerTarget> {
  if (target.type === "function") {
    const { sid } = await getSandboxFunction(db, workspaceId, target.functionId);
    return { ...target, functionId: sid };
  }
  const { agentId } = target;
  if (!(await findActiveAgents(db, workspaceId, [agentId])).has(agentId)) throw noSuchAgent();
  if (caller.kind === "operator" || caller.apiKey.role === "admin") return target;
  const editors = await db
    .select({ userId: agentEditors.userId })
    .from(agentEditors)
    .where(and(eq(agentEditors.workspaceId, workspaceId), eq(agentEditors.agentSid, agentId)));
  const { user } = caller;
  if (editors.length === 0 || editors.some(({ userId }) => userId === user.id)) return target;
  const message = "target.agentId: only its editors and admins may start this agent by a trigger";
  throw new ParleyError("app_auth_error", message);
}
