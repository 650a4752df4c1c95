import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClaimedRun,
  type Core,
  isDatabaseBusy,
  isDatabaseUnavailable,
  isDataError,
} from "@parley/core";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** Whether work failed for a temporary reason of the database, and not for its data. */
export function isTemporary(error: unknown): boolean {
  const isOfDatabase = isDatabaseUnavailable(error) || isDatabaseBusy(error) || hasSqlState(error);
  return isOfDatabase && !isDataError(error);
}

function hasSqlState(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /^[\dA-Z]{5}$/.test(code) || hasSqlState(error.cause);
}

/** How long to wait after failures: longer after each, with jitter. */
export interface Backoff {
  failed(): void;
  reset(): void;
  /** Remaining time to wait, in milliseconds. */
  waitMs(): number;
}

export function createBackoff({ random }: Pick<Core, "random">): Backoff {
  let pauseMs = FIRST_PAUSE_MS;
  let until = 0;
  return {
    failed: () => {
      until = performance.now() + pauseMs * (0.5 + random() / 2);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    },
    reset: () => {
      pauseMs = FIRST_PAUSE_MS;
      until = 0;
    },
    waitMs: () => Math.max(0, until - performance.now()),
  };
}

/** Work on the database that outlasts its outages. */
export interface Persistence {
  /** Repeats idempotent work until the database is available, or the signal aborts. */
  retry<T>(run: ClaimedRun, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** The same for work that mostly waits for something else, such as a place: it never counts as waiting here. */
  retryLong<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Since when the run has waited for such work, by the clock of `performance`. */
  waitingSince(run: ClaimedRun): number | undefined;
}

export function createPersistence(core: Pick<Core, "random">): Persistence {
  const since = new Map<ClaimedRun, number>();
  const repeat = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const backoff = createBackoff(core);
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
      backoff.failed();
      await sleep(backoff.waitMs(), undefined, { signal });
    }
  };
  return {
    retry: async (run, signal, work) => {
      since.set(run, performance.now());
      try {
        return await repeat(signal, work);
      } finally {
        since.delete(run);
      }
    },
    // Each of its statements fails by itself when the database does not answer.
    retryLong: repeat,
    waitingSince: (run) => since.get(run),
  };
}
