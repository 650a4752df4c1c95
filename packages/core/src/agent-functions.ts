import { agentFunctions, type Queryable, sandboxFunctions } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, asc, eq, inArray, or } from "drizzle-orm";
import type { AgentRow } from "./rows.ts";

/**
 * Lets a new version of an agent call functions, named by id or slug, in this order, and gives back
 * their ids. Throws `sandbox_function_not_found` for what the workspace does not have, or has
 * archived.
 */
export async function insertAgentFunctions(
  db: Queryable,
  agent: Pick<AgentRow, "id" | "workspaceId">,
  names: readonly string[] = [],
): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await db
    .select({ id: sandboxFunctions.id, sid: sandboxFunctions.sid, slug: sandboxFunctions.slug })
    .from(sandboxFunctions)
    .where(
      and(
        eq(sandboxFunctions.workspaceId, agent.workspaceId),
        eq(sandboxFunctions.status, "active"),
        or(inArray(sandboxFunctions.sid, [...names]), inArray(sandboxFunctions.slug, [...names])),
      ),
    );
  const found = names.map((name, index) => {
    const row = rows.find(({ sid, slug }) => sid === name || slug === name);
    if (row !== undefined) return row;
    const path = `functionIds[${index}]`;
    throw new ParleyError(
      "sandbox_function_not_found",
      `${path}: the workspace has no such function`,
    );
  });
  // One function may be named by its id and by its slug.
  const unique = [...new Map(found.map((row) => [row.id, row])).values()];
  await db
    .insert(agentFunctions)
    .values(unique.map(({ id }, position) => ({ agentId: agent.id, functionId: id, position })));
  return unique.map(({ sid }) => sid);
}

/** Gives the functions of one version of an agent to the next, and gives back their ids. */
export async function copyAgentFunctions(
  db: Queryable,
  fromId: number,
  toId: number,
): Promise<string[]> {
  const { functionId, position } = agentFunctions;
  const links = await db
    .select({ functionId, position, sid: sandboxFunctions.sid })
    .from(agentFunctions)
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, functionId))
    .where(eq(agentFunctions.agentId, fromId))
    .orderBy(asc(position));
  if (links.length === 0) return [];
  await db
    .insert(agentFunctions)
    .values(links.map(({ sid: _sid, ...link }) => ({ agentId: toId, ...link })));
  return links.map(({ sid }) => sid);
}
