import { type Database, isStatementTimeout, type Queryable } from "@parley/db";
import { createFairPlaces } from "@parley/fair-queue";
import { ParleyError } from "@parley/schema";

/**
 * Searches of a workspace that may wait. A place is free again within a second, so the last of them begins
 * before its client gives up.
 */
const MAX_WAITING = 32;

/** The searcher. */
export interface Searcher {
  readonly workspaceId: number;
  /** Aborts the waiting; a search that runs is left to its timeout. */
  readonly signal: AbortSignal;
  /** Called with the time that the database took. */
  readonly onDatabaseMs?: ((ms: number) => void) | undefined;
  /** What is said of a search that took too long. */
  readonly tooLong?: string | undefined;
}

const TOO_LONG = "The search took too long and was stopped: use rarer words, or fewer filters";

/**
 * Runs a search on the connections that only searches have: workspaces take turns, and one has at most half
 * of them. Throws `rate_limit_error` if too many searches of the workspace wait, or if the search
 * took longer than it may, and the reason of the signal.
 */
export type RunSearch = <T>(
  searcher: Searcher,
  search: (db: Queryable) => PromiseLike<T>,
) => Promise<T>;

/** Creates what runs the searches of a process. */
export function createSearches({ db, connections }: Database["searches"]): RunSearch {
  const places = createFairPlaces(connections);
  return async ({ workspaceId, signal, onDatabaseMs, tooLong = TOO_LONG }, search) => {
    signal.throwIfAborted();
    if (places.waiting(workspaceId) >= MAX_WAITING) {
      throw refusal(`${MAX_WAITING} searches of the workspace are already queued: try again`);
    }
    const leave = await places.enter(workspaceId, signal);
    const startedAt = performance.now();
    try {
      return await search(db);
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      throw refusal(tooLong);
    } finally {
      leave();
      onDatabaseMs?.(performance.now() - startedAt);
    }
  };
}

function refusal(message: string): ParleyError {
  return new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
}
