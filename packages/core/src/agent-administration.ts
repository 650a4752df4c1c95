import { agents, type Queryable } from "@parley/db";
import {
  type AgentConfiguration,
  type AgentWithScript,
  type CreateAgent,
  type ListAgents,
  ParleyError,
  type Success,
  type UpdateAgent,
} from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import { copyAgentFunctions, insertAgentFunctions } from "./agent-functions.ts";
import { copyAgentSkills, insertAgentSkills } from "./agent-skills.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import { renderAgent } from "./agents.ts";
import { type Context, inTransaction, type RequestContext } from "./context.ts";
import { requireModel } from "./models.ts";
import type { AgentRow } from "./rows.ts";

const scopesOfView: Record<ListAgents["view"], readonly string[]> = {
  all: ["global", "visible", "hidden"],
  list: ["global", "visible"],
  workspace: ["visible"],
  published: ["visible"],
  global: ["global"],
  // Keys have no favourites.
  favorites: [],
};

/** Lists the workspace's active agents of a view, by name. */
export async function listAgents(
  context: Context,
  input: ListAgents,
): Promise<{ agentConfigurations: AgentConfiguration[] }> {
  const scopes = [...scopesOfView[input.view]];
  if (scopes.length === 0) return { agentConfigurations: [] };
  const rows = await context.database.db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.workspaceId, context.caller.workspace.id),
        eq(agents.isCurrent, true),
        eq(agents.status, "active"),
        inArray(agents.scope, scopes),
      ),
    )
    .orderBy(asc(agents.name), asc(agents.sid));
  return { agentConfigurations: rows.map(renderAgent) };
}

type NewVersion = Omit<typeof agents.$inferInsert, "id" | "isCurrent" | "createdAt">;

/**
 * Creates an agent. Throws `model_disabled` when the workspace may not use its model,
 * `skill_not_found` and `sandbox_function_not_found`.
 */
export async function createAgent(
  context: RequestContext,
  input: CreateAgent,
): Promise<AgentWithScript> {
  return inTransaction(context, async ({ db, afterCommit, made }) => {
    afterCommit.push({ topic: "agents" });
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    requireModel(workspace, input.model);
    const sid = context.newId();
    made(sid);
    const version = await insertVersion(context, db, {
      sid,
      workspaceId: workspace.id,
      version: 0,
      name: input.name,
      description: input.description,
      instructions: input.instructions ?? null,
      pictureUrl: input.pictureUrl ?? "",
      status: "active",
      scope: input.scope ?? "visible",
      providerId: input.model.providerId,
      modelId: input.model.modelId,
      temperature: input.model.temperature ?? 0.7,
      maxStepsPerRun: input.maxStepsPerRun ?? 8,
      templateId: null,
      script: input.script ?? null,
    });
    const skillIds = await insertAgentSkills(context, db, { ...version, sids: input.skillIds });
    const functionIds = await insertAgentFunctions(db, version, input.functionIds);
    return renderVersion(version, { skillIds, functionIds });
  });
}

/** Changes an agent: a new version, which later mentions resolve to. Running turns keep theirs. */
export async function updateAgent(
  context: RequestContext,
  input: UpdateAgent,
): Promise<AgentWithScript> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    afterCommit.push({ topic: "agents" });
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { id: lastId, ...before } = await requireAgent(db, workspace.id, input.agentId);
    const { model } = input;
    if (model !== undefined) requireModel(workspace, model);
    const given = {
      name: input.name,
      description: input.description,
      instructions: input.instructions,
      pictureUrl: input.pictureUrl,
      scope: input.scope,
      providerId: model?.providerId,
      modelId: model?.modelId,
      temperature: model?.temperature,
      maxStepsPerRun: input.maxStepsPerRun,
      script: input.script,
    };
    const changed = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as Partial<NewVersion>;
    await db
      .update(agents)
      .set({ isCurrent: false })
      .where(and(eq(agents.workspaceId, workspace.id), eq(agents.sid, before.sid)));
    const after = { ...before, ...changed, version: before.version + 1 };
    const version = await insertVersion(context, db, after);
    const skillIds =
      input.skillIds === undefined
        ? await copyAgentSkills(db, lastId, version.id)
        : await insertAgentSkills(context, db, { ...version, sids: input.skillIds });
    const functionIds =
      input.functionIds === undefined
        ? await copyAgentFunctions(db, lastId, version.id)
        : await insertAgentFunctions(db, version, input.functionIds);
    return renderVersion(version, { skillIds, functionIds });
  });
}

/** Archives an agent: later mentions of it resolve to nobody. Doing it again changes nothing. */
export async function archiveAgent(
  context: RequestContext,
  input: { workspaceId: string; agentId: string },
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    afterCommit.push({ topic: "agents" });
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { id } = await requireAgent(db, workspace.id, input.agentId);
    await db.update(agents).set({ status: "archived" }).where(eq(agents.id, id));
    return { success: true };
  });
}

/** The current version of an agent, which is locked, so that changes happen one after the other. */
async function requireAgent(db: Queryable, workspaceId: number, sid: string): Promise<AgentRow> {
  const ofAgent = and(eq(agents.workspaceId, workspaceId), eq(agents.sid, sid));
  // The first version stands for the agent: who waited for the lock of the current one would find
  // that it no longer is.
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

async function insertVersion(
  context: RequestContext,
  db: Queryable,
  version: NewVersion,
): Promise<AgentRow> {
  const [row] = await db
    .insert(agents)
    .values({ ...version, isCurrent: true, createdAt: context.now() })
    .returning();
  if (row === undefined) throw new Error("The agent was not written");
  return row;
}

function renderVersion(
  row: AgentRow,
  given: Pick<AgentWithScript, "skillIds" | "functionIds">,
): AgentWithScript {
  return { agentConfiguration: renderAgent(row), script: row.script, ...given };
}
