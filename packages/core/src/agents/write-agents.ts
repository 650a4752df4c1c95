import { agents, insertRow, type Queryable } from "@parley/db";
import type { AgentWithScript, CreateAgent, UpdateAgent } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { AgentRow, WorkspaceRow } from "../data-access/rows.ts";
import { requireModel } from "../workspaces/models.ts";
import { grantFunctions, grantSkills, grantTools } from "./agent-grants.ts";
import { noSuchAgent, renderAgent } from "./agents.ts";

/** What a new agent is made from; other members have their defaults. */
export interface AgentDraft extends Partial<
  Omit<CreateAgent, "wId" | "name" | "description" | "model">
> {
  readonly name: string;
  readonly description: string;
  readonly model: {
    readonly providerId: string;
    readonly modelId: string;
    readonly temperature?: number | undefined;
  };
}

/** Writes the first version of a new agent. Throws as `createAgent` does. */
export async function insertAgent(
  context: RequestContext,
  db: Queryable,
  {
    workspace,
    draft,
    sid = context.newId(),
  }: { workspace: WorkspaceRow; draft: AgentDraft; sid?: string },
): Promise<AgentWithScript> {
  requireModel(workspace, draft.model);
  const agent = await insertRow(db, agents, {
    sid,
    workspaceId: workspace.id,
    version: 0,
    isCurrent: true,
    name: draft.name,
    description: draft.description,
    instructions: draft.instructions,
    pictureUrl: draft.pictureUrl ?? "",
    status: "active",
    scope: draft.scope ?? "visible",
    providerId: draft.model.providerId,
    modelId: draft.model.modelId,
    temperature: draft.model.temperature ?? 0.7,
    maxStepsPerRun: draft.maxStepsPerRun ?? 8,
    script: draft.script,
    asksUser: draft.asksUser ?? false,
    createdAt: context.now(),
  });
  const { skillIds = [], functionIds = [], toolIds = [] } = draft;
  return grantAndRender(context, db, { agent, skillIds, functionIds, toolIds });
}

/** What a new version changes; without ids, it has the grants of the version before. */
interface NewVersion extends Pick<UpdateAgent, "skillIds" | "functionIds" | "toolIds"> {
  readonly before: AgentRow;
  readonly changes: Partial<AgentRow>;
}

/** Writes the next version of a locked agent, which becomes the current one. */
export async function insertVersion(
  context: RequestContext,
  db: Queryable,
  { before, changes, ...grants }: NewVersion,
): Promise<AgentWithScript> {
  const { id: fromId, ...columns } = before;
  await db.update(agents).set({ isCurrent: false }).where(eq(agents.id, fromId));
  const agent = await insertRow(db, agents, {
    ...columns,
    ...changes,
    version: before.version + 1,
    createdAt: context.now(),
  });
  return grantAndRender(context, db, { agent, fromId, ...grants });
}

/**
 * The current version of an agent, under a lock that orders its changes. Throws `agent_not_found`.
 */
export async function requireAgent(
  db: Queryable,
  workspaceId: number,
  sid: string,
): Promise<AgentRow> {
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
