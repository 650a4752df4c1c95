/** How long lists of servers hold, as the servers say themselves: known to the process that was told. */
import { toolConnections } from "@parley/db";
import { and, lt, ne, or, type SQL } from "drizzle-orm";
import { LRUCache } from "lru-cache";

/** A server is not asked more often while its tools are used. */
const MIN_MS = 10 * 60 * 1000;
/** A server that promises more is asked after this all the same. */
const MAX_MS = 24 * 60 * 60 * 1000;
const MAX_SERVERS = 1000;

interface Listed {
  /** Number of the tool. */
  readonly toolId: number;
  readonly url: string;
  readonly ttlMs: number | undefined;
}

/** What servers have said of how long their lists hold. */
export interface ListLifetimes {
  remember(listed: Listed): void;
  /** The condition that the list of a tool's connection no longer holds. */
  hasEnded(toolId: number, now: number): SQL | undefined;
}

/** Keeps in memory how long lists hold: without it, lists hold ten minutes. */
export function createListLifetimes(): ListLifetimes {
  const known = new LRUCache<number, { url: string; ms: number }>({ max: MAX_SERVERS });
  const { refreshedAt, url } = toolConnections;
  return {
    remember: ({ toolId, url: listedBy, ttlMs = 0 }) => {
      known.set(toolId, { url: listedBy, ms: Math.min(Math.max(ttlMs, MIN_MS), MAX_MS) });
    },
    hasEnded: (toolId, now) => {
      const said = known.get(toolId);
      if (said === undefined) return lt(refreshedAt, now - MIN_MS);
      // Another server has promised nothing.
      const ofOther = and(ne(url, said.url), lt(refreshedAt, now - MIN_MS));
      return or(lt(refreshedAt, now - said.ms), ofOther);
    },
  };
}
