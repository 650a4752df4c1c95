import { agents, insertRow, type Queryable } from "@parley/db";
import {
  type AgentWithScript,
  type CreateAgent,
  type Success,
  type UpdateAgent,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { requireModel } from "../workspaces/models.ts";
import { grantFunctions, grantSkills, grantTools } from "./agent-grants.ts";
import { noSuchAgent, renderAgent } from "./agents.ts";

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
    requireModel(workspace, input.model);
    const sid = context.newId();
    markCreated(sid);
    const agent = await insertRow(db, agents, {
      sid,
      workspaceId: workspace.id,
      version: 0,
      isCurrent: true,
      name: input.name,
      description: input.description,
      instructions: input.instructions,
      pictureUrl: input.pictureUrl ?? "",
      status: "active",
      scope: input.scope ?? "visible",
      providerId: input.model.providerId,
      modelId: input.model.modelId,
      temperature: input.model.temperature ?? 0.7,
      maxStepsPerRun: input.maxStepsPerRun ?? 8,
      script: input.script,
      asksUser: input.asksUser ?? false,
      createdAt: context.now(),
    });
    const { skillIds = [], functionIds = [], toolIds = [] } = input;
    return grantAndRender(context, db, { agent, skillIds, functionIds, toolIds });
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
    const { id: lastId, ...before } = await requireAgent(db, workspace.id, input.agentId);
    if (input.version !== undefined) requireVersion("agent", before, input.version);
    const { model } = input;
    if (model !== undefined) requireModel(workspace, model);
    await db
      .update(agents)
      .set({ isCurrent: false })
      .where(and(eq(agents.workspaceId, workspace.id), eq(agents.sid, before.sid)));
    const agent = await insertRow(db, agents, {
      ...before,
      version: before.version + 1,
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
      createdAt: context.now(),
    });
    const { skillIds, functionIds, toolIds } = input;
    const grants = { skillIds, functionIds, toolIds };
    return grantAndRender(context, db, { agent, fromId: lastId, ...grants });
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

/** The current version of an agent, under a lock that orders its changes. */
async function requireAgent(db: Queryable, workspaceId: number, sid: string): Promise<AgentRow> {
  const ofAgent = and(eq(agents.workspaceId, workspaceId), eq(agents.sid, sid));
  // The lock is on the first version: the current one may be another after the wait for its lock.
  await db
    .select({ id: agents.id })
    .from(agents)
    .where(ofAgent)
    .orderBy(asc(agents.version))
    .limit(1)
    .for("update");
  const [row] = await db
    .select()
    .from(agents)
    .where(and(ofAgent, eq(agents.isCurrent, true)));
  if (row === undefined) throw noSuchAgent();
  return row;
}

/** A new version and its grants; without ids, those of the version before. */
interface Grants extends Pick<UpdateAgent, "skillIds" | "functionIds" | "toolIds"> {
  readonly agent: AgentRow;
  readonly fromId?: number | undefined;
}

async function grantAndRender(
  context: RequestContext,
  db: Queryable,
  { agent, fromId, ...grants }: Grants,
): Promise<AgentWithScript> {
  const skillIds = await grantSkills(context, db, { agent, fromId, names: grants.skillIds });
  const functionIds = await grantFunctions(db, { agent, fromId, names: grants.functionIds });
  const toolIds = await grantTools(context, db, { agent, fromId, names: grants.toolIds });
  const agentConfiguration = renderAgent(context, agent);
  const { script, asksUser } = agent;
  return { agentConfiguration, script, skillIds, functionIds, toolIds, asksUser };
}
