import { agents, type Queryable } from "@parley/db";
import { and, eq, inArray } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Context } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import type { Configurations } from "../log/payloads.ts";
import type { PublicUrl } from "../workspaces/pictures.ts";
import { type AgentVersion, listedColumns, renderBriefly } from "./agents.ts";

/** Characters of all versions that a process caches, and of their long texts. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Estimate for a version without its long texts. */
const VERSION_CHARACTERS = 1024;

/** What of a version may be long. */
export type AgentTexts = Pick<AgentRow, "instructions" | "script" | "responseFormat">;

/** Versions of agents by number, as messages and events refer to them. */
export interface AgentVersions {
  /** A version; undefined if there is none. Its status may be outdated. */
  get(id: number): Promise<AgentVersion | undefined>;
  /** The cached version; undefined if `get` would read it. */
  peek(id: number): AgentVersion | undefined;
  /** The texts of a version, however long; undefined if there is none. */
  getTexts(id: number): Promise<AgentTexts | undefined>;
}

/** What reading messages needs. */
export interface AgentServices {
  readonly agentVersions: AgentVersions;
}

/** Configurations of versions and the server's URL, for rendering events that name them. */
export function configurationsOf(from: AgentServices & PublicUrl): Configurations {
  const { agentVersions } = from;
  const render = (version: AgentVersion | undefined) => version && renderBriefly(from, version);
  return {
    get publicUrl() {
      return from.publicUrl;
    },
    get: async (id) => render(await agentVersions.get(id)),
    peek: (id) => render(agentVersions.peek(id)),
  };
}

/**
 * Creates the cache of a process. Only the status of a version changes, so an entry is valid until it is
 * evicted. Concurrent calls for one version share a read.
 */
export function createAgentVersions(db: Queryable): AgentVersions {
  const versions = new LRUCache<number, AgentVersion>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ instructions, description, pictureUrl }) =>
      VERSION_CHARACTERS + (instructions?.length ?? 0) + description.length + pictureUrl.length,
    // An entry that is evicted before it is read is still returned.
    ignoreFetchAbort: true,
    fetchMethod: async (id) => {
      const [row] = await db.select(listedColumns).from(agents).where(eq(agents.id, id));
      return row;
    },
  });
  const texts = new LRUCache<number, AgentTexts>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ instructions, ...json }) =>
      VERSION_CHARACTERS + (instructions?.length ?? 0) + JSON.stringify(json).length,
    ignoreFetchAbort: true,
    fetchMethod: async (id) => {
      const { instructions, script, responseFormat } = agents;
      const [row] = await db
        .select({ instructions, script, responseFormat })
        .from(agents)
        .where(eq(agents.id, id));
      return row;
    },
  });
  return {
    get: (id) => versions.fetch(id),
    peek: (id) => versions.get(id),
    getTexts: (id) => texts.fetch(id),
  };
}

/** The workspace's versions with these numbers, by number, with their current status. */
export async function findVersions(
  context: AgentServices & Pick<Context, "caller">,
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, AgentVersion>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: agents.id, status: agents.status })
    .from(agents)
    .where(
      and(
        eq(agents.workspaceId, context.caller.workspace.id),
        inArray(agents.id, [...new Set(ids)]),
      ),
    );
  return versionsOf(context, rows);
}

/** Versions by number, with the statuses that were read. */
export async function versionsOf(
  { agentVersions }: AgentServices,
  rows: Iterable<Pick<AgentVersion, "id" | "status">>,
): Promise<Map<number, AgentVersion>> {
  const found = new Map<number, AgentVersion>();
  for (const { id, status } of rows) {
    const version = agentVersions.peek(id) ?? (await agentVersions.get(id));
    if (version !== undefined) found.set(id, { ...version, status });
  }
  return found;
}
