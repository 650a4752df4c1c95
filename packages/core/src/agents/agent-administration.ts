import { agents } from "@parley/db";
import {
  type AgentWithScript,
  type CreateAgent,
  invalidRequest,
  type Success,
  type UpdateAgent,
} from "@parley/schema";
import { eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { requireEditorChoice } from "./agent-editors.ts";
import { changeModels } from "./agent-models.ts";
import { storeInstructions } from "./instruction-columns.ts";
import { requireUsableFormat } from "./response-formats.ts";
import { requireTeam } from "./teams.ts";
import { insertAgent, insertVersion, requireAgent } from "./write-agents.ts";

/**
 * Creates an agent. Throws `model_disabled` when the workspace may not use its model,
 * `skill_not_found`, `sandbox_function_not_found`, `tool_not_found` and `member_not_found`, and
 * `app_auth_error` if a caller that is not an admin names editors, and `invalid_request_error` for a format whose
 * schema is unusable, or not enforced by the model though it is strict.
 */
export async function createAgent(
  context: RequestContext,
  input: CreateAgent,
): Promise<AgentWithScript> {
  requireEditorChoice(context.caller, input.editorIds);
  const responseFormat = await requireUsableFormat(context, input.responseFormat);
  return inTransaction(context, async ({ db, afterCommit, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const created = await insertAgent(context, db, {
      workspace,
      draft: { ...input, responseFormat },
    });
    markCreated(created.agentConfiguration.sId);
    return created;
  });
}

/**
 * Changes an agent: a new version, which later mentions resolve to. Running turns keep theirs. Throws
 * `agent_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function updateAgent(
  context: RequestContext,
  input: UpdateAgent,
): Promise<AgentWithScript> {
  requireEditorChoice(context.caller, input.editorIds);
  const responseFormat = await requireUsableFormat(context, input.responseFormat);
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const before = await requireAgent(db, workspace.id, input.agentId);
    if (input.version !== undefined) requireVersion("agent", before, input.version);
    const { model, team = [] } = input;
    await requireTeam(db, { ...before, team });
    const changes = {
      name: input.name ?? before.name,
      description: input.description ?? before.description,
      ...storeInstructions(input.instructions, before),
      pictureUrl: input.pictureUrl ?? before.pictureUrl,
      scope: input.scope ?? before.scope,
      ...changeModels(workspace, before, input),
      temperature: model?.temperature ?? before.temperature,
      reasoningEffort:
        model?.reasoningEffort === undefined ? before.reasoningEffort : model.reasoningEffort,
      maxStepsPerRun: input.maxStepsPerRun ?? before.maxStepsPerRun,
      script: input.script === undefined ? before.script : input.script,
      asksUser: input.asksUser ?? before.asksUser,
      team: input.team ?? before.team,
      compaction: input.compaction ?? before.compaction,
      knowledge: input.knowledge ?? before.knowledge,
      memory: input.memory ?? before.memory,
      responseFormat: responseFormat === undefined ? before.responseFormat : responseFormat,
      tags: input.tags ?? before.tags,
    };
    const { skillIds, functionIds, toolIds, editorIds } = input;
    const named = { skillIds, functionIds, toolIds, editorIds };
    return insertVersion(context, db, { before, changes, ...named });
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

/** Archives an agent for the public interface. Throws `invalid_request_error` for an archived one. */
export async function deleteAgent(
  context: RequestContext,
  { wId, sId: agentId }: { wId: string; sId: string },
): Promise<Success> {
  return setStatus(context, { wId, agentId }, "archived", ({ status }) => {
    if (status !== "archived") return;
    throw invalidRequest("path", [{ path: "sId", message: "the agent is already archived" }]);
  });
}

interface NamedAgent {
  readonly wId: string;
  readonly agentId: string;
}

async function setStatus(
  context: RequestContext,
  input: NamedAgent,
  status: "active" | "archived",
  check: (before: AgentRow) => void = () => {},
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const before = await requireAgent(db, workspace.id, input.agentId);
    check(before);
    await db.update(agents).set({ status }).where(eq(agents.id, before.id));
    return { success: true };
  });
}
