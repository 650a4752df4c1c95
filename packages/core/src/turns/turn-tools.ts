import { type Queryable, sandboxFunctions, toolApprovals, tools } from "@parley/db";
import type { Stake } from "@parley/schema";
import { and, eq, inArray, or, sql } from "drizzle-orm";
import { turnReachesSkill } from "../access/skill-reach.ts";
import type { Process } from "../context.ts";
import { nameTools } from "../tools/name-tools.ts";
import { selectConnections, type StoredConnection } from "../tools/tool-connections.ts";
import { MAX_TURN_SKILLS } from "./turn-skills.ts";

/** Servers whose tools a turn is offered. */
const MAX_SERVERS = 16;
/** Tools that a turn is offered: models choose badly among more. */
const MAX_TOOLS = 128;

/** A tool of a remote server that is called. */
export interface CalledTool {
  /** The server's name for it. */
  readonly toolName: string;
  readonly inputSchema: Record<string, unknown>;
  readonly stored: StoredConnection;
}

/** A tool of a remote server as a turn's model sees it. */
export interface TurnTool extends CalledTool {
  /** Unique in the turn: what the model calls. */
  readonly name: string;
  readonly description: string;
}

/**
 * The subquery of a claim that gives the numbers of the tools of the agent `a` in the conversation `c`: its
 * own, then the conversation's, then those of its skills. Each is in an open space, or in the
 * conversation's.
 */
export const toolsOfTurn = sql`
  select json_agg(tool_id order by place, position, tool_id)
  from (
    select offered.tool_id, min(offered.place) as place, min(offered.position) as position
    from (
      select own.tool_id, 0 as place, own.position, false as of_skill
      from agent_tools own where own.agent_id = a.id
      union all
      select added.tool_id, 1, 0, false
      from conversation_tools added where added.conversation_id = c.id
      union all
      select st.tool_id, 2, st.position, true
      from agent_skills own join skills on skills.id = own.skill_id
      join skill_tools st on st.skill_id = skills.id
      where own.agent_id = a.id and skills.status = 'active'
        and ${turnReachesSkill(sql`c.space_id`)}
      union all
      select st.tool_id, 3, st.position, true
      from (
        select skills.id from skills
        where skills.workspace_id = a.workspace_id
          and skills.availability = 'users_and_agents' and skills.status = 'active'
          and ${turnReachesSkill(sql`c.space_id`)}
        order by skills.name, skills.sid
        limit ${sql.raw(String(MAX_TURN_SKILLS))}
      ) skills join skill_tools st on st.skill_id = skills.id
    ) offered
    join tool_connections connected on connected.tool_id = offered.tool_id
    join tools on tools.id = offered.tool_id
    join spaces s on s.id = tools.space_id
    where tools.workspace_id = a.workspace_id
      and (offered.of_skill or not tools.is_restricted_to_skills)
      and s.deleted_at is null and (not s.is_restricted or s.id = c.space_id)
    group by offered.tool_id
    order by place, position, offered.tool_id
    limit ${sql.raw(String(MAX_SERVERS))}
  ) chosen`;

/** The tools of the servers with these numbers, in their order, each under a name of its own. */
export async function readTurnTools(
  { database }: Pick<Process, "database">,
  { workspaceId, toolIds }: { workspaceId: number; toolIds: readonly number[] },
): Promise<TurnTool[]> {
  if (toolIds.length === 0) return [];
  const rows = await selectConnections(database.db).where(
    and(eq(tools.workspaceId, workspaceId), inArray(tools.id, [...toolIds])),
  );
  const byId = new Map(rows.map((row) => [row.tool.id, row]));
  const offered = toolIds
    .flatMap((id) => byId.get(id) ?? [])
    .flatMap((stored) =>
      stored.tool.server.tools.map(({ name: toolName, description, inputSchema }) => {
        return { toolName, description, inputSchema, stored, serverName: stored.tool.name };
      }),
    )
    .slice(0, MAX_TOOLS);
  const names = nameTools(offered);
  return offered.map(({ serverName: _serverName, ...tool }, index) => {
    return { name: names[index] ?? "", ...tool };
  });
}

/** The connection that a stored call is made with; undefined where the tool or its server's tool is gone. */
export async function findCalledTool(
  db: Queryable,
  { workspaceId, mcpServerId, toolName }: NamedTool,
): Promise<CalledTool | undefined> {
  const [stored] = await selectConnections(db).where(
    and(
      eq(tools.workspaceId, workspaceId),
      eq(tools.sid, mcpServerId),
      eq(sandboxFunctions.status, "active"),
    ),
  );
  const described = stored?.tool.server.tools.find(({ name }) => name === toolName);
  if (stored === undefined || described === undefined) return undefined;
  return { stored, toolName, inputSchema: described.inputSchema };
}

interface NamedTool {
  readonly workspaceId: number;
  readonly mcpServerId: string;
  readonly toolName: string;
}

/** Who approves a call of a tool, and what approves it for good. */
export interface ToolApprovalKey {
  readonly toolId: number;
  readonly toolName: string;
  readonly agentSid: string;
}

/** What a user approves for good with a call of this stake; undefined where each call is asked for. */
export function approvalKeyOf(
  { stored, toolName }: CalledTool,
  { stake, agentSid }: { stake: Stake; agentSid: string },
): ToolApprovalKey | undefined {
  const toolId = stored.tool.id;
  if (stake === "low") return { toolId, toolName, agentSid: "" };
  return stake === "medium" ? { toolId, toolName, agentSid } : undefined;
}

/** Those of the keys that the user has approved for good, as texts of `keyText`. */
export async function findApprovedTools(
  db: Queryable,
  userId: number | null,
  keys: readonly ToolApprovalKey[],
): Promise<Set<string>> {
  if (userId === null || keys.length === 0) return new Set();
  const { toolId, toolName, agentSid } = toolApprovals;
  const rows = await db
    .select({ toolId, toolName, agentSid })
    .from(toolApprovals)
    .where(
      and(
        eq(toolApprovals.userId, userId),
        or(
          ...keys.map((key) =>
            and(eq(toolId, key.toolId), eq(toolName, key.toolName), eq(agentSid, key.agentSid)),
          ),
        ),
      ),
    );
  return new Set(rows.map(keyText));
}

/** A key as a text. */
export function keyText({ toolId, toolName, agentSid }: ToolApprovalKey): string {
  return JSON.stringify([toolId, toolName, agentSid]);
}
