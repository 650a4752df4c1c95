import { type Core, isDatabaseBusy } from "@parley/core";

const PROBE_INTERVAL_MS = 250;
/** Age from which a measurement is ignored. */
const STALE_MS = 1000;

/**
 * Returns a function that tells how long a query now waits for its turn, in milliseconds. It measures
 * with a query in the same queue as all others, one at a time, and only while it is called.
 */
export function createDatabaseWait(database: Pick<Core["database"], "ping">): () => number {
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
