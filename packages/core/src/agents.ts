import { agents, type Queryable } from "@parley/db";
import type { AgentConfiguration } from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import type { AgentRow } from "./rows.ts";

/** One version of an agent as the wire shows it. */
export function renderAgent(row: AgentRow): AgentConfiguration {
  return {
    id: row.id,
    sId: row.sid,
    version: row.version,
    versionCreatedAt: new Date(row.createdAt).toISOString(),
    versionAuthorId: null,
    name: row.name,
    description: row.description,
    instructions: row.instructions,
    pictureUrl: row.pictureUrl,
    status: row.status as AgentConfiguration["status"],
    scope: row.scope as AgentConfiguration["scope"],
    userFavorite: false,
    model: {
      providerId: row.providerId,
      modelId: row.modelId,
      temperature: row.temperature,
    },
    actions: [],
    maxStepsPerRun: row.maxStepsPerRun,
    templateId: row.templateId,
  };
}

/** The current versions of the workspace's active agents with these ids, in their order. */
export async function findActiveAgents(
  db: Queryable,
  workspaceId: number,
  sids: readonly string[],
): Promise<Map<string, AgentRow>> {
  if (sids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.workspaceId, workspaceId),
        inArray(agents.sid, [...new Set(sids)]),
        eq(agents.isCurrent, true),
        eq(agents.status, "active"),
      ),
    );
  const bySid = new Map(rows.map((row) => [row.sid, row]));
  const found = sids.flatMap((sid) => bySid.get(sid) ?? []);
  return new Map(found.map((row) => [row.sid, row]));
}

/** The versions of agents with these numbers, by number. */
export async function findAgentVersions(
  db: Queryable,
  workspaceId: number,
  ids: readonly number[],
): Promise<Map<number, AgentRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), inArray(agents.id, [...new Set(ids)])));
  return new Map(rows.map((row) => [row.id, row]));
}
