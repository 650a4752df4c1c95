import { agents, insertRow, type Queryable } from "@parley/db";
import {
  type AgentConfiguration,
  type AgentWithScript,
  type CreateAgent,
  type ListAgents,
  ParleyError,
  type SearchAgents,
  type Success,
  type UpdateAgent,
} from "@parley/schema";
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Context, RequestContext } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { requireModel } from "../workspaces/models.ts";
import { grantFunctions, grantSkills } from "./agent-grants.ts";
import { renderAgent } from "./agents.ts";

const scopesOfView: Record<ListAgents["view"], string[]> = {
  all: ["global", "visible", "hidden"],
  list: ["global", "visible"],
  workspace: ["visible"],
  published: ["visible"],
  global: ["global"],
  // Keys have no favourites.
  favorites: [],
};

interface AgentList {
  readonly agentConfigurations: AgentConfiguration[];
}

/** Lists the workspace's active agents of a view, by name. */
export async function listAgents(context: Context, input: ListAgents): Promise<AgentList> {
  return findAgents(context, inArray(agents.scope, scopesOfView[input.view]));
}

/** Agents that a search finds at most. */
const MAX_FOUND = 100;

/** Finds the workspace's active agents with a text in their names, in any case, by name. */
export async function searchAgents(context: Context, { q }: SearchAgents): Promise<AgentList> {
  return findAgents(context, sql`position(lower(${q}) in lower(${agents.name})) > 0`, MAX_FOUND);
}

async function findAgents(context: Context, condition: SQL, limit?: number): Promise<AgentList> {
  const query = context.database.db
    .select()
    .from(agents)
    .where(and(isCurrent(context), eq(agents.status, "active"), condition))
    .orderBy(asc(agents.name), asc(agents.sid));
  const rows = await (limit === undefined ? query : query.limit(limit));
  return { agentConfigurations: rows.map((row) => renderAgent(context, row)) };
}

function isCurrent({ caller }: Context): SQL | undefined {
  return and(eq(agents.workspaceId, caller.workspace.id), eq(agents.isCurrent, true));
}

/** Reads an agent in its current version, also an archived one. Throws `agent_not_found`. */
export async function getAgent(
  context: Context,
  input: { sId: string },
): Promise<{ agentConfiguration: AgentConfiguration }> {
  const [row] = await context.database.db
    .select()
    .from(agents)
    .where(and(isCurrent(context), eq(agents.sid, input.sId)));
  if (row === undefined) {
    throw new ParleyError("agent_not_found", "The workspace has no such agent");
  }
  return { agentConfiguration: renderAgent(context, row) };
}

/**
 * Creates an agent. Throws `model_disabled` when the workspace may not use its model,
 * `skill_not_found` and `sandbox_function_not_found`.
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
      createdAt: context.now(),
    });
    const { skillIds = [], functionIds = [] } = input;
    return grantAndRender(context, db, { agent, skillIds, functionIds });
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
      createdAt: context.now(),
    });
    const { skillIds, functionIds } = input;
    return grantAndRender(context, db, { agent, fromId: lastId, skillIds, functionIds });
  });
}

/** Archives an agent: later mentions of it resolve to no agent. Archiving it again changes nothing. */
export async function archiveAgent(
  context: RequestContext,
  input: { wId: string; agentId: string },
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const { id } = await requireAgent(db, workspace.id, input.agentId);
    await db.update(agents).set({ status: "archived" }).where(eq(agents.id, id));
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
  if (row === undefined) {
    throw new ParleyError("agent_not_found", "agentId: the workspace has no such agent");
  }
  return row;
}

/** A new version and its grants; without ids, those of the version before. */
interface Grants extends Pick<UpdateAgent, "skillIds" | "functionIds"> {
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
  const agentConfiguration = renderAgent(context, agent);
  return { agentConfiguration, script: agent.script, skillIds, functionIds };
}
