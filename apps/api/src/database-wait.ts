import { type Core, isDatabaseBusy } from "@parley/core";

const PROBE_INTERVAL_MS = 250;
/** A measurement older than this says nothing. */
const STALE_MS = 1000;

/** Tells how long a query now waits for its turn, in milliseconds. */
export type DatabaseWait = () => number;

/**
 * Measures the wait by a query that goes through the same queue as all others. Only a server that is
 * asked measures, one query at a time.
 */
export function createDatabaseWait(database: Pick<Core["database"], "ping">): DatabaseWait {
  let startedAt: number | undefined;
  let finishedAt = -Infinity;
  let lastMs = 0;

  const probe = async (start: number): Promise<void> => {
    startedAt = start;
    let waits = true;
    try {
      await database.ping();
    } catch (error) {
      // A database that cannot be reached refuses the requests itself.
      waits = isDatabaseBusy(error);
    }
    startedAt = undefined;
    finishedAt = performance.now();
    lastMs = waits ? finishedAt - start : 0;
  };

  return () => {
    const now = performance.now();
    if (startedAt !== undefined) return Math.max(lastMs, now - startedAt);
    const sinceMs = now - finishedAt;
    if (sinceMs > STALE_MS) lastMs = 0;
    if (sinceMs > PROBE_INTERVAL_MS) void probe(now);
    return lastMs;
  };
}
