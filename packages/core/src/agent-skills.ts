import { agentSkills, type Queryable, skills } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { RequestContext } from "./context.ts";
import type { AgentRow } from "./rows.ts";
import { reachesSkill } from "./skills.ts";

/**
 * Gives skills to a new version of an agent, in this order, and gives back their ids. Throws
 * `skill_not_found` for what the workspace does not have, or the caller's key does not reach.
 */
export async function insertAgentSkills(
  context: RequestContext,
  db: Queryable,
  agent: Pick<AgentRow, "id" | "workspaceId"> & { sids: readonly string[] | undefined },
): Promise<string[]> {
  const sids = [...new Set(agent.sids)];
  if (sids.length === 0) return [];
  const rows = await db
    .select({ id: skills.id, sid: skills.sid })
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, agent.workspaceId),
        inArray(skills.sid, sids),
        reachesSkill(context.caller),
      ),
    );
  const ids = new Map(rows.map((row) => [row.sid, row.id]));
  const links = sids.map((sid, position) => {
    const skillId = ids.get(sid);
    if (skillId !== undefined) return { agentId: agent.id, skillId, position };
    const path = `skillIds[${agent.sids?.indexOf(sid)}]`;
    throw new ParleyError("skill_not_found", `${path}: the workspace has no such skill`);
  });
  await db.insert(agentSkills).values(links);
  return sids;
}

/** Gives the skills of one version of an agent to the next, and gives back their ids. */
export async function copyAgentSkills(
  db: Queryable,
  fromId: number,
  toId: number,
): Promise<string[]> {
  const links = await db
    .select({ skillId: agentSkills.skillId, position: agentSkills.position, sid: skills.sid })
    .from(agentSkills)
    .innerJoin(skills, eq(skills.id, agentSkills.skillId))
    .where(eq(agentSkills.agentId, fromId))
    .orderBy(asc(agentSkills.position));
  if (links.length === 0) return [];
  await db
    .insert(agentSkills)
    .values(links.map(({ skillId, position }) => ({ agentId: toId, skillId, position })));
  return links.map(({ sid }) => sid);
}
