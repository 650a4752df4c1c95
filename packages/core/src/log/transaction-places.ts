import { createFairPlaces } from "@parley/fair-queue";
import { ParleyError } from "@parley/schema";

/** A transaction waits as long for its place as a query does for a connection. */
const WAIT_MS = 10_000;
/** Of the connections: the others are for credentials, claims, leases and reads, which take no place. */
const PART = 0.75;

/** Resolves with what gives the place back once a transaction of the workspace may begin. */
export type EnterTransaction = (workspaceId: number) => Promise<() => void>;

/**
 * Places for the transactions of requests. One that waits for a lock holds a connection in the meantime, so a
 * workspace that asks for the same row on many connections would take all of them: it has half of the places at most,
 * and workspaces take turns. Throws `rate_limit_error` after ten seconds.
 */
export function createTransactionPlaces(connections: number): EnterTransaction {
  const places = createFairPlaces(Math.ceil(connections * PART));
  return async (workspaceId) => {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMany()), WAIT_MS);
    try {
      return await places.enter(workspaceId, waiting.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

function tooMany(): ParleyError {
  const message = "Too many concurrent changes of the workspace: try again in 1 s";
  return new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
}
