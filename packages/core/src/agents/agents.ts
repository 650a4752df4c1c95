import { agents, type Queryable } from "@parley/db";
import { type AgentConfiguration, ParleyError } from "@parley/schema";
import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { AgentRow } from "../data-access/rows.ts";
import { pictureUrl, type PublicUrl } from "../workspaces/pictures.ts";

/** A version of an agent without its script. */
export type AgentVersion = Omit<AgentRow, "script">;

// Scripts may be megabytes.
const { script: _script, ...withoutScript } = getTableColumns(agents);
/** The columns of a version of an agent without its script. */
export const versionColumns = withoutScript;

/**
 * Bytes of the instructions that a configuration within a message or a list has; of longer ones it has null.
 * A response may hold fifty configurations, and those of all messages.
 */
const MAX_SHOWN_BYTES = 16 * 1024;
/** The same without long instructions, which are not read. */
export const listedColumns = {
  ...versionColumns,
  // A size is known without reading the text.
  instructions: sql<
    string | null
  >`case when octet_length(${agents.instructions}) <= ${sql.raw(String(MAX_SHOWN_BYTES))} then ${agents.instructions} end`,
};

/** One version of an agent as the wire shows it. */
export function renderAgent(
  core: PublicUrl,
  row: AgentVersion,
  userFavorite = false,
): AgentConfiguration {
  return {
    id: row.id,
    sId: row.sid,
    version: row.version,
    versionCreatedAt: new Date(row.createdAt).toISOString(),
    versionAuthorId: null,
    name: row.name,
    description: row.description,
    instructions: row.instructions,
    pictureUrl: pictureUrl(core, row.pictureUrl, "agent"),
    status: row.status as AgentConfiguration["status"],
    scope: row.scope as AgentConfiguration["scope"],
    userFavorite,
    model: {
      providerId: row.providerId,
      modelId: row.modelId,
      temperature: row.temperature,
    },
    actions: [],
    maxStepsPerRun: row.maxStepsPerRun,
    templateId: row.templateId,
    // Clients of version 1.0 need these two to parse an agent message.
    visualizationEnabled: false,
    requestedGroupIds: [],
  };
}

/** A version of an agent as messages, events and lists show it: without long instructions. */
export function renderBriefly(core: PublicUrl, row: AgentVersion): AgentConfiguration {
  const { instructions } = row;
  const isLong = instructions !== null && Buffer.byteLength(instructions) > MAX_SHOWN_BYTES;
  return renderAgent(core, isLong ? { ...row, instructions: null } : row);
}

/** The error for an agent that the workspace does not have. */
export function noSuchAgent(): ParleyError {
  return new ParleyError("agent_not_found", "agentId: the workspace has no such agent");
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
  const byRank = rows.toSorted((a, b) => sids.indexOf(a.sid) - sids.indexOf(b.sid));
  return new Map(byRank.map((row) => [row.sid, row]));
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
