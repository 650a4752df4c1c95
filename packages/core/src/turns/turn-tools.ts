import { sql } from "drizzle-orm";
import { turnReachesSkill } from "../access/skill-reach.ts";
import type { CalledTool } from "../calls/prepared-calls.ts";
import type { CalledServer } from "../tools/called-servers.ts";
import { nameTools } from "../tools/name-tools.ts";
import { MAX_TURN_SKILLS } from "./turn-skills.ts";

/** Servers that an agent and a conversation have themselves, and their tools, also those in clients. */
const MAX_SERVERS = 16;
const MAX_TOOLS = 128;
/**
 * Servers of the skills of a turn, and their tools. A model is offered only those of skills that it loads, as many as
 * fit.
 */
const MAX_SKILL_SERVERS = 32;
const MAX_SKILL_TOOLS = 512;

/** A tool of a server as a turn's model sees it. */
export interface TurnTool extends CalledTool {
  /** Unique in the turn: what the model calls. */
  readonly name: string;
  readonly description: string;
  /** Numbers of the skills with any of which it comes; null if the agent or the conversation has it itself. */
  readonly skillIds: readonly number[] | null;
}

/** A remote server of a turn. */
export interface TurnServer {
  readonly toolId: number;
  /** As those of its tools. */
  readonly skillIds: readonly number[] | null;
}

/**
 * The subquery of a claim that gives the `TurnServer`s of the agent `a` in the conversation `c`: its own, then
 * the conversation's, then those of its skills. Each is in an open space, or in the conversation's.
 */
export const serversOfTurn = sql`
  select json_agg(
    json_build_object('toolId', tool_id, 'skillIds', case when place >= 2 then skill_ids end)
    order by place, position, tool_id
  )
  from (
    select offered.tool_id, min(offered.place) as place, min(offered.position) as position,
      json_agg(distinct offered.skill_id) as skill_ids
    from (
      select own.tool_id, 0 as place, own.position, null::bigint as skill_id
      from agent_tools own where own.agent_id = a.id
      union all
      select added.tool_id, 1, 0, null
      from conversation_tools added where added.conversation_id = c.id
      union all
      select st.tool_id, 2, st.position, st.skill_id
      from agent_skills own join skills on skills.id = own.skill_id
      join skill_tools st on st.skill_id = skills.id
      where own.agent_id = a.id and skills.status = 'active'
        and ${turnReachesSkill(sql`c.space_id`)}
      union all
      select st.tool_id, 3, st.position, st.skill_id
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
      and (offered.skill_id is not null or not tools.is_restricted_to_skills)
      and s.deleted_at is null and (not s.is_restricted or s.id = c.space_id)
    group by offered.tool_id
    order by place, position, offered.tool_id
    limit ${sql.raw(String(2 * MAX_SERVERS + MAX_SKILL_SERVERS))}
  ) chosen`;

/** The servers whose tools a turn knows: as many as it may of its own, and of its skills. */
export function knownServers(servers: readonly TurnServer[]): TurnServer[] {
  return [
    ...servers.filter(({ skillIds }) => skillIds === null).slice(0, MAX_SERVERS),
    ...servers.filter(({ skillIds }) => skillIds !== null).slice(0, MAX_SKILL_SERVERS),
  ];
}

/** The tools of servers, in the servers' order, each under a name of its own, which it has whether it is offered or not. */
export function toTurnTools(
  called: readonly CalledServer[],
  servers: readonly TurnServer[],
): TurnTool[] {
  const skillsOf = new Map(servers.map(({ toolId, skillIds }) => [toolId, skillIds]));
  const left = { own: MAX_TOOLS, ofSkills: MAX_SKILL_TOOLS };
  const offered = called
    .flatMap((server) => {
      const { name: serverName, approvals } = server;
      const skillIds = ("toolId" in approvals && skillsOf.get(approvals.toolId)) || null;
      // By name: a server may list them in another order each time, and requests that begin alike are cached.
      const sorted = server.offered.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return sorted.map(({ name: toolName, description, inputSchema }) => {
        return { toolName, description, inputSchema, server, serverName, skillIds };
      });
    })
    .filter(({ skillIds }) => (skillIds === null ? left.own-- : left.ofSkills--) > 0);
  const names = nameTools(offered);
  return offered.map(({ serverName: _serverName, ...tool }, index) => {
    return { name: names[index] ?? "", ...tool };
  });
}
