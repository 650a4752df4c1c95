import { agents } from "@parley/db";
import type { AgentWithScript, CreateAgent, Success, UpdateAgent } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { requireModel } from "../workspaces/models.ts";
import { insertAgent, insertVersion, requireAgent } from "./write-agents.ts";

/**
 * Creates an agent. Throws `model_disabled` when the workspace may not use its model,
 * `skill_not_found`, `sandbox_function_not_found` and `tool_not_found`.
 */
export async function createAgent(
  context: RequestContext,
  input: CreateAgent,
): Promise<AgentWithScript> {
  return inTransaction(context, async ({ db, afterCommit, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const created = await insertAgent(context, db, { workspace, draft: input });
    markCreated(created.agentConfiguration.sId);
    return created;
  });
}

/**
 * Changes an agent: a new version, which later mentions resolve to. Running turns keep theirs. Throws
 * `agent_not_found`, and `version_conflict` where it was changed since the named version.
 */
export async function updateAgent(
  context: RequestContext,
  input: UpdateAgent,
): Promise<AgentWithScript> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const before = await requireAgent(db, workspace.id, input.agentId);
    if (input.version !== undefined) requireVersion("agent", before, input.version);
    const { model } = input;
    if (model !== undefined) requireModel(workspace, model);
    const changes = {
      name: input.name ?? before.name,
      description: input.description ?? before.description,
      instructions: input.instructions ?? before.instructions,
      pictureUrl: input.pictureUrl ?? before.pictureUrl,
      scope: input.scope ?? before.scope,
      providerId: model?.providerId ?? before.providerId,
      modelId: model?.modelId ?? before.modelId,
      temperature: model?.temperature ?? before.temperature,
      maxStepsPerRun: input.maxStepsPerRun ?? before.maxStepsPerRun,
      script: input.script ?? before.script,
      asksUser: input.asksUser ?? before.asksUser,
    };
    const { skillIds, functionIds, toolIds } = input;
    return insertVersion(context, db, { before, changes, skillIds, functionIds, toolIds });
  });
}

/** Archives an agent: later mentions of it resolve to no agent. Archiving it again changes nothing. */
export async function archiveAgent(context: RequestContext, input: NamedAgent): Promise<Success> {
  return setStatus(context, input, "archived");
}

/** Makes an archived agent active, in the version that it had. Restoring it again changes nothing. */
export async function restoreAgent(context: RequestContext, input: NamedAgent): Promise<Success> {
  return setStatus(context, input, "active");
}

interface NamedAgent {
  readonly wId: string;
  readonly agentId: string;
}

async function setStatus(
  context: RequestContext,
  input: NamedAgent,
  status: "active" | "archived",
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const { id } = await requireAgent(db, workspace.id, input.agentId);
    await db.update(agents).set({ status }).where(eq(agents.id, id));
    return { success: true };
  });
}
