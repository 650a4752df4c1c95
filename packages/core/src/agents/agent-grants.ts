import {
  agentFunctions,
  agentSkills,
  agentTools,
  type Queryable,
  replaceRows,
  sandboxFunctions,
  skills,
  tools,
} from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, asc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { RequestContext } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { isReachedServer } from "../tools/tool-administration.ts";
import { requireFound } from "../workspaces/administered-workspace.ts";

/** A new version of an agent, and what a request grants it. */
interface Granted {
  readonly agent: Pick<AgentRow, "id" | "workspaceId">;
  /** The id of the version before; undefined for the first. */
  readonly fromId: number | undefined;
  /** The granted ids, in order; undefined for those of the version before. */
  readonly names: readonly string[] | undefined;
}

/**
 * Grants skills to a new version of an agent. The result is the ids of those that the caller reaches;
 * other skills of the version before stay with the agent. Throws `skill_not_found` for a skill that the
 * workspace does not have, or that the caller does not reach.
 */
export async function grantSkills(
  { caller }: RequestContext,
  db: Queryable,
  { agent, fromId, names }: Granted,
): Promise<string[]> {
  const before = fromId === undefined ? [] : await findGrantedSkills({ caller }, db, fromId);
  if (names === undefined) {
    await linkSkills(db, agent.id, before);
    return before.flatMap(({ sid, isReached }) => (isReached ? sid : []));
  }
  const ofWorkspace = eq(skills.workspaceId, agent.workspaceId);
  const rows = await db
    .select({ id: skills.id, sid: skills.sid })
    .from(skills)
    .where(and(ofWorkspace, inArray(skills.sid, [...names]), reachesSkill(caller)));
  const found = requireFound(rows, names, (sid) => {
    const path = `skillIds[${names.indexOf(sid)}]`;
    return new ParleyError("skill_not_found", `${path}: the workspace has no such skill`);
  });
  await linkSkills(db, agent.id, [...found, ...before.filter(({ isReached }) => !isReached)]);
  return found.map(({ sid }) => sid);
}

/** The skills of a version of an agent in their order, each with whether the caller reaches it. */
export async function findGrantedSkills(
  { caller }: Pick<RequestContext, "caller">,
  db: Queryable,
  agentId: number,
) {
  return db
    .select({
      id: agentSkills.skillId,
      sid: skills.sid,
      isReached: sql<boolean>`${reachesSkill(caller) ?? sql`true`}`,
    })
    .from(agentSkills)
    .innerJoin(skills, eq(skills.id, agentSkills.skillId))
    .where(eq(agentSkills.agentId, agentId))
    .orderBy(asc(agentSkills.position));
}

async function linkSkills(
  db: Queryable,
  agentId: number,
  found: readonly { readonly id: number }[],
): Promise<void> {
  const rows = found.map(({ id: skillId }, position) => ({ agentId, skillId, position }));
  await replaceRows(db, agentSkills, { where: eq(agentSkills.agentId, agentId), rows });
}

/** The same for the tools of remote servers. Throws `tool_not_found`. */
export async function grantTools(
  { caller }: RequestContext,
  db: Queryable,
  { agent, fromId, names }: Granted,
): Promise<string[]> {
  const before = fromId === undefined ? [] : await findGrantedTools({ caller }, db, fromId);
  const found =
    names === undefined ? before.filter(({ isReached }) => isReached) : await findTools(names);
  const rows = [...found, ...before.filter(({ isReached }) => !isReached)];
  await replaceRows(db, agentTools, {
    where: eq(agentTools.agentId, agent.id),
    rows: rows.map(({ id: toolId }, position) => ({ agentId: agent.id, toolId, position })),
  });
  return found.map(({ sid }) => sid);

  async function findTools(sids: readonly string[]) {
    const ofWorkspace = eq(tools.workspaceId, agent.workspaceId);
    const reached = await db
      .select({ id: tools.id, sid: tools.sid })
      .from(tools)
      .where(and(ofWorkspace, inArray(tools.sid, [...sids]), isReachedServer(caller)));
    return requireFound(reached, sids, (sid) => {
      const path = `toolIds[${sids.indexOf(sid)}]`;
      return new ParleyError("tool_not_found", `${path}: the workspace has no such tool`);
    });
  }
}

/** The tools of a version of an agent in their order, each with whether the caller reaches it. */
export async function findGrantedTools(
  { caller }: Pick<RequestContext, "caller">,
  db: Queryable,
  agentId: number,
) {
  return db
    .select({
      id: agentTools.toolId,
      sid: tools.sid,
      isReached: sql<boolean>`${isReachedServer(caller) ?? sql`true`}`,
    })
    .from(agentTools)
    .innerJoin(tools, eq(tools.id, agentTools.toolId))
    .where(eq(agentTools.agentId, agentId))
    .orderBy(asc(agentTools.position));
}

/**
 * Lets a new version of an agent call functions, named by id or slug. The result is their ids. Throws
 * `sandbox_function_not_found` for a function that the workspace does not have, or has archived.
 */
export async function grantFunctions(
  db: Queryable,
  { agent, fromId, names }: Granted,
): Promise<string[]> {
  const { id: agentId, workspaceId } = agent;
  const found =
    names === undefined
      ? await findGrantedFunctions(db, fromId ?? 0)
      : await findFunctions(db, workspaceId, names);
  // A request may name one function by its id and by its slug.
  const unique = [...new Map(found.map((row) => [row.id, row])).values()];
  const rows = unique.map(({ id: functionId }, position) => ({ agentId, functionId, position }));
  await replaceRows(db, agentFunctions, { where: eq(agentFunctions.agentId, agentId), rows });
  return unique.map(({ sid }) => sid);
}

/** The functions that a version of an agent may call, in their order. */
export async function findGrantedFunctions(db: Queryable, agentId: number) {
  return db
    .select(shown)
    .from(agentFunctions)
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, agentFunctions.functionId))
    .where(eq(agentFunctions.agentId, agentId))
    .orderBy(asc(agentFunctions.position));
}

const shown = { id: sandboxFunctions.id, sid: sandboxFunctions.sid, slug: sandboxFunctions.slug };

async function findFunctions(db: Queryable, workspaceId: number, names: readonly string[]) {
  const rows = await db
    .select(shown)
    .from(sandboxFunctions)
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspaceId),
        isNull(sandboxFunctions.toolId),
        isNull(sandboxFunctions.clientUserId),
        eq(sandboxFunctions.status, "active"),
        or(inArray(sandboxFunctions.sid, [...names]), inArray(sandboxFunctions.slug, [...names])),
      ),
    );
  return names.map((name, index) => {
    const row = rows.find(({ sid, slug }) => sid === name || slug === name);
    if (row !== undefined) return row;
    const message = `functionIds[${index}]: the workspace has no such function`;
    throw new ParleyError("sandbox_function_not_found", message);
  });
}
