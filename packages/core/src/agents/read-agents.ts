import { agentFavorites, agents, type Queryable } from "@parley/db";
import {
  type AgentConfiguration,
  type AgentPage,
  type AgentWithScript,
  type ListAgents,
  type ListAllAgents,
  ParleyError,
  type ReadAgent,
  type SearchAgents,
} from "@parley/schema";
import { and, asc, eq, gt, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { type Context, type RequestContext, searcherOf } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { findEditorIds } from "./agent-editors.ts";
import { findGrantedFunctions, findGrantedSkills, findGrantedTools } from "./agent-grants.ts";
import {
  type AgentVersion,
  listedColumns,
  noSuchAgent,
  renderAgent,
  versionColumns,
} from "./agents.ts";
import { renderDefinition } from "./write-agents.ts";

const scopesOfView: Record<ListAgents["view"], string[]> = {
  all: ["global", "visible", "hidden"],
  list: ["global", "visible"],
  workspace: ["visible"],
  published: ["visible"],
  global: ["global"],
  favorites: ["global", "visible", "hidden"],
};

interface AgentList {
  readonly agentConfigurations: AgentConfiguration[];
}

/** Lists the workspace's active agents of a view that the caller sees, by name. */
export async function listAgents(context: Context, input: ListAgents): Promise<AgentList> {
  const isOfView = inArray(agents.scope, scopesOfView[input.view]);
  const isAsked = input.view === "favorites" ? isNotNull(agentFavorites.userId) : undefined;
  return findAgents(context, and(isOfView, isAsked));
}

/** Agents that a search finds at most. */
const MAX_FOUND = 100;

/** Finds the active agents that the caller sees with a text in their names, in any case, by name. */
export async function searchAgents(context: Context, { q }: SearchAgents): Promise<AgentList> {
  const isNamed = sql`position(lower(${q}) in lower(${agents.name})) > 0`;
  return context.runSearch(searcherOf(context), (db) =>
    findAgents(context, isNamed, { db, limit: MAX_FOUND }),
  );
}

async function findAgents(
  context: Context,
  condition: SQL | undefined,
  { db, limit }: { db?: Queryable; limit?: number } = {},
): Promise<AgentList> {
  const query = selectAgents(context, listedColumns, db)
    .where(and(isCurrent(context), eq(agents.status, "active"), isSeen(context), condition))
    .orderBy(asc(agents.name), asc(agents.sid));
  const rows = await (limit === undefined ? query : query.limit(limit));
  return { agentConfigurations: rows.map((row) => renderFound(context, row)) };
}

/** Agents, each with whether it is a favourite of the caller's user. */
function selectAgents(
  context: Context,
  columns: typeof versionColumns | typeof listedColumns,
  db: Queryable = context.database.db,
) {
  return db
    .select({ ...columns, favoriteOf: agentFavorites.userId })
    .from(agents)
    .leftJoin(agentFavorites, isFavoriteOf(context))
    .$dynamic();
}

function renderFound(
  context: Context,
  { favoriteOf, ...agent }: AgentVersion & { favoriteOf: number | null },
): AgentConfiguration {
  return renderAgent(context, agent, favoriteOf !== null);
}

function isCurrent({ caller }: Context): SQL | undefined {
  return and(eq(agents.workspaceId, caller.workspace.id), eq(agents.isCurrent, true));
}

/** Whether hidden agents are shown to the caller; everybody may mention them. */
function seesHidden({ apiKey }: Context["caller"]): boolean {
  return apiKey.role === "admin";
}

function isSeen({ caller }: Context): SQL | undefined {
  return seesHidden(caller) ? undefined : ne(agents.scope, "hidden");
}

interface OneAgent {
  readonly agentConfiguration: AgentConfiguration;
}

/** Reads an agent in its current version, also an archived one. Throws `agent_not_found`. */
export async function readAgent(context: Context, sId: string): Promise<OneAgent> {
  const [row] = await selectAgents(context, versionColumns).where(
    and(isCurrent(context), eq(agents.sid, sId)),
  );
  if (row === undefined) {
    throw new ParleyError("agent_not_found", "The workspace has no such agent");
  }
  return { agentConfiguration: renderFound(context, row) };
}

/**
 * Reads an agent for the caller; the light variant is without its instructions. Throws `agent_not_found`, and
 * `workspace_auth_error` for a hidden agent unless the caller is an admin.
 */
export async function getAgent(
  context: Context,
  { sId, variant }: { sId: string; variant?: ReadAgent["variant"] },
): Promise<OneAgent> {
  const { agentConfiguration } = await readAgent(context, sId);
  if (agentConfiguration.scope === "hidden" && !seesHidden(context.caller)) {
    const message = "The agent is hidden: only admins may read it";
    throw new ParleyError("workspace_auth_error", message, { status: 403 });
  }
  if (variant !== "light") return { agentConfiguration };
  return { agentConfiguration: { ...agentConfiguration, instructions: null } };
}

/** Lists the workspace's agents, also archived ones, by id, a page at a time. */
export async function listAllAgents(
  context: RequestContext,
  { wId, status, lastValue, limit }: ListAllAgents,
): Promise<AgentPage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const rows = await db
    .select(listedColumns)
    .from(agents)
    .where(
      and(
        eq(agents.workspaceId, workspace.id),
        eq(agents.isCurrent, true),
        status && eq(agents.status, status),
        lastValue === undefined ? undefined : gt(agents.sid, lastValue),
      ),
    )
    .orderBy(asc(agents.sid))
    .limit(limit + 1);
  const { page, end } = takePage(rows, { limit }, ({ sid }) => sid);
  return {
    agentConfigurations: page.map((row) => {
      const { instructions: _instructions, ...agent } = renderAgent(context, row);
      return agent;
    }),
    ...end,
  };
}

/**
 * Reads an agent, also an archived one, with its script, its functions and editors, and those of its skills that
 * the caller reaches. Throws `agent_not_found`.
 */
export async function getAgentDefinition(
  context: RequestContext,
  { wId, agentId }: { wId: string; agentId: string },
): Promise<AgentWithScript> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const ofAgent = and(eq(agents.workspaceId, workspace.id), eq(agents.sid, agentId));
  const [agent] = await db
    .select()
    .from(agents)
    .where(and(ofAgent, eq(agents.isCurrent, true)));
  if (agent === undefined) throw noSuchAgent();
  return readDefinition(context, db, agent);
}

/** A version of an agent with what it is granted, as far as the caller reaches it, and the agent's editors. */
export async function readDefinition(
  context: RequestContext,
  db: Queryable,
  agent: AgentRow,
): Promise<AgentWithScript> {
  const skills = await findGrantedSkills(context, db, agent.id);
  const functions = await findGrantedFunctions(db, agent.id);
  const tools = await findGrantedTools(context, db, agent.id);
  return renderDefinition(context, agent, {
    skillIds: skills.flatMap(({ sid, isReached }) => (isReached ? sid : [])),
    functionIds: functions.map(({ sid }) => sid),
    toolIds: tools.flatMap(({ sid, isReached }) => (isReached ? sid : [])),
    editorIds: await findEditorIds(db, agent),
  });
}

/** The condition that a row of `agent_favorites` is of the caller's user and the row of `agents`. */
export function isFavoriteOf({ caller }: Context): SQL | undefined {
  return and(eq(agentFavorites.userId, caller.user.id), eq(agentFavorites.agentSid, agents.sid));
}
