import { agents, insertRow, type Queryable } from "@parley/db";
import type {
  AgentWithScript,
  CreateAgent,
  ReasoningEffort,
  StoredResponseFormat,
  UpdateAgent,
} from "@parley/schema";
import { and, asc, eq, gte } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { AgentRow, WorkspaceRow } from "../data-access/rows.ts";
import { editorOf } from "../workspaces/administered-workspace.ts";
import { requireAgentModels } from "../workspaces/models.ts";
import type { PublicUrl } from "../workspaces/pictures.ts";
import { findEditorIds, setEditors } from "./agent-editors.ts";
import { grantFunctions, grantSkills, grantTools } from "./agent-grants.ts";
import { showModels } from "./agent-models.ts";
import { noSuchAgent, renderAgent } from "./agents.ts";
import { storeInstructions } from "./instruction-columns.ts";
import { requireEnforced } from "./response-formats.ts";
import { requireTeam } from "./teams.ts";

/** What a new agent is made from; other members have their defaults. */
export interface AgentDraft extends Partial<
  Omit<CreateAgent, "wId" | "name" | "description" | "model" | "responseFormat">
> {
  readonly name: string;
  readonly description: string;
  readonly model: {
    readonly providerId: string;
    readonly modelId: string;
    readonly temperature?: number | undefined;
    readonly reasoningEffort?: ReasoningEffort | null | undefined;
  };
  /** Checked to be usable. */
  readonly responseFormat?: StoredResponseFormat | undefined;
}

/** The status of versions that are tried without being saved: their numbers are negative, and none is current. */
export const DRAFT = "draft";

/** What a draft is besides its definition. */
interface TriedVersion {
  readonly version: number;
  /** The version that it changes; undefined for an agent that was never saved. */
  readonly fromId: number | undefined;
}

/** Writes the first version of a new agent. Throws as `createAgent` does. */
export async function insertAgent(
  context: RequestContext,
  db: Queryable,
  {
    workspace,
    draft,
    sid = context.newId(),
    tried,
  }: {
    workspace: WorkspaceRow;
    draft: AgentDraft;
    sid?: string;
    /** Only for what is tried without being saved. */
    tried?: TriedVersion;
  },
): Promise<AgentWithScript> {
  const { model, fallbackModels = [] } = draft;
  requireAgentModels(workspace, model, fallbackModels);
  requireEnforced(draft.responseFormat, [model, ...fallbackModels]);
  const { team = [] } = draft;
  await requireTeam(db, { workspaceId: workspace.id, sid, team });
  const agent = await insertRow(db, agents, {
    sid,
    workspaceId: workspace.id,
    version: tried?.version ?? 0,
    isCurrent: tried === undefined,
    name: draft.name,
    description: draft.description,
    ...storeInstructions(draft.instructions),
    pictureUrl: draft.pictureUrl ?? "",
    status: tried === undefined ? "active" : DRAFT,
    scope: draft.scope ?? "visible",
    providerId: draft.model.providerId,
    modelId: draft.model.modelId,
    temperature: draft.model.temperature ?? 0.7,
    reasoningEffort: draft.model.reasoningEffort,
    fallbackModels: draft.fallbackModels,
    maxStepsPerRun: draft.maxStepsPerRun ?? 8,
    script: draft.script,
    responseFormat: draft.responseFormat,
    asksUser: draft.asksUser ?? false,
    team,
    compaction: draft.compaction,
    knowledge: draft.knowledge,
    memory: draft.memory,
    tags: draft.tags,
    createdAt: context.now(),
    editedBy: editorOf(context.caller),
  });
  const { skillIds = [], functionIds = [], toolIds = [], editorIds } = draft;
  const named = { skillIds, functionIds, toolIds, editorIds };
  return grantAndRender(context, db, { agent, fromId: tried?.fromId, ...named });
}

/** The ids that a change of an agent names; without them, it has what it had. */
type Named = Partial<Pick<UpdateAgent, "skillIds" | "functionIds" | "toolIds" | "editorIds">>;

interface NewVersion extends Named {
  readonly before: AgentRow;
  readonly changes: Partial<AgentRow>;
}

/**
 * Writes the next version of a locked agent, which becomes the current one. Throws `invalid_request_error` if its
 * model does not enforce its strict format.
 */
export async function insertVersion(
  context: RequestContext,
  db: Queryable,
  { before, changes, ...named }: NewVersion,
): Promise<AgentWithScript> {
  const { id: fromId, ...columns } = before;
  const changed = { ...before, ...changes };
  requireEnforced(changed.responseFormat, [changed, ...changed.fallbackModels]);
  await db.update(agents).set({ isCurrent: false }).where(eq(agents.id, fromId));
  const agent = await insertRow(db, agents, {
    ...columns,
    ...changes,
    version: before.version + 1,
    createdAt: context.now(),
    editedBy: editorOf(context.caller),
  });
  return grantAndRender(context, db, { agent, fromId, ...named });
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
    // Drafts come and go.
    .where(and(ofAgent, gte(agents.version, 0)))
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

interface Granted extends Named {
  readonly agent: AgentRow;
  readonly fromId?: number | undefined;
}

async function grantAndRender(
  context: RequestContext,
  db: Queryable,
  { agent, fromId, editorIds: named, ...grants }: Granted,
): Promise<AgentWithScript> {
  const skillIds = await grantSkills(context, db, { agent, fromId, names: grants.skillIds });
  const functionIds = await grantFunctions(db, { agent, fromId, names: grants.functionIds });
  const toolIds = await grantTools(context, db, { agent, fromId, names: grants.toolIds });
  if (named !== undefined) await setEditors(db, agent, named);
  const editorIds = await findEditorIds(db, agent);
  return renderDefinition(context, agent, { skillIds, functionIds, toolIds, editorIds });
}

/** An agent as those who administer it see it. */
export function renderDefinition(
  core: PublicUrl,
  agent: AgentRow,
  ids: Pick<AgentWithScript, "skillIds" | "functionIds" | "toolIds" | "editorIds">,
): AgentWithScript {
  const { script, asksUser, team, reasoningEffort, fallbackModels, responseFormat, tags } = agent;
  const agentConfiguration = renderAgent(core, agent);
  return {
    agentConfiguration,
    script,
    ...ids,
    asksUser,
    team,
    reasoningEffort,
    fallbackModels: showModels(fallbackModels),
    compaction: agent.compaction ?? {},
    knowledge: agent.knowledge ?? {},
    memory: agent.memory ?? {},
    responseFormat,
    tags,
  };
}
