import { agents, type Queryable } from "@parley/db";
import { type AgentConfiguration, ParleyError } from "@parley/schema";
import { and, eq, getTableColumns, inArray, type SQLWrapper, sql } from "drizzle-orm";
import type { AgentRow } from "../data-access/rows.ts";
import { pictureUrl, type PublicUrl } from "../workspaces/pictures.ts";
import { showInstructions } from "./instruction-columns.ts";

/** A version of an agent as the wire shows it: without its script, its format and its tags. */
export type AgentVersion = Omit<AgentRow, "script" | "responseFormat" | "tags">;

// Scripts may be megabytes, and schemas may be long.
const {
  script: _script,
  responseFormat: _format,
  tags: _tags,
  ...shownColumns
} = getTableColumns(agents);
/** The columns of an `AgentVersion`. */
export const versionColumns = shownColumns;

/**
 * Bytes of the instructions that a configuration within a message or a list has; of longer ones it has null.
 * A response may hold fifty configurations, and those of all messages.
 */
const MAX_SHOWN_BYTES = 16 * 1024;
/** Stored bytes of a script, or of a format, that comes with its version. */
const MAX_JSON_BYTES = 2 * 1024;

/** Sizes are known without reading the texts. */
const isShown = (instructions: SQLWrapper) =>
  sql`octet_length(${instructions}) <= ${sql.raw(String(MAX_SHOWN_BYTES))}`;
const isShort = (json: SQLWrapper) =>
  sql`pg_column_size(${json}) <= ${sql.raw(String(MAX_JSON_BYTES))}`;
const shownInstructions = (instructions: SQLWrapper) =>
  sql<string | null>`case when ${isShown(instructions)} then ${instructions} end`;

/** The same without long instructions, which are not read. */
export const listedColumns = {
  ...versionColumns,
  instructions: shownInstructions(agents.instructions),
};

/** A version of an agent without its long texts, which are read once: see `AgentVersions`. */
export interface BriefAgent extends Omit<AgentRow, "tags"> {
  /** Whether instructions, script or format are null because they are long. */
  readonly hasLongTexts: boolean;
}

/** The columns of a `BriefAgent` of a table `agents`, which may be an alias of it. */
export function briefColumns(table: typeof agents = agents) {
  const { tags: _notOfTurns, ...columns } = getTableColumns(table);
  const { instructions, script, responseFormat } = columns;
  return {
    ...columns,
    instructions: shownInstructions(instructions),
    script: sql<AgentRow["script"]>`case when ${isShort(script)} then ${script} end`,
    responseFormat: sql<
      AgentRow["responseFormat"]
    >`case when ${isShort(responseFormat)} then ${responseFormat} end`,
    hasLongTexts: sql<boolean>`
      not coalesce(${isShown(instructions)}, true) or not coalesce(${isShort(script)}, true)
        or not coalesce(${isShort(responseFormat)}, true)`,
  };
}

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
    instructions: showInstructions(row),
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
): Promise<Map<string, BriefAgent>> {
  if (sids.length === 0) return new Map();
  const rows = await db
    .select(briefColumns())
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
): Promise<Map<number, BriefAgent>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select(briefColumns())
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), inArray(agents.id, [...new Set(ids)])));
  return new Map(rows.map((row) => [row.id, row]));
}
