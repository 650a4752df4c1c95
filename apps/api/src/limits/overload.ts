import { type Core, isDatabaseBusy } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { ApiSettings } from "../config.ts";
import { monitorEventLoopDelay } from "node:perf_hooks";

const WINDOW_MS = 1000;
/** The monitor wakes the process this often, which is most of what an idle server would do. */
const RESOLUTION_MS = 10;
/** Nobody has asked for so long: measuring stops until somebody does. */
const IDLE_MS = 10_000;

export type LoopDelay = ReturnType<typeof watchLoopDelay>;

/**
 * Measures the mean turn of the event loop in windows of a second, while it is asked for, and returns the
 * lesser of the last two: a single long turn, as at the start, is over once it is measured.
 */
export function watchLoopDelay() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let last = 0;
  let lastButOne = 0;
  let askedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    histogram.disable();
    histogram.reset();
    last = lastButOne = 0;
  };
  const endWindow = (): void => {
    if (performance.now() - askedAt > IDLE_MS) return stop();
    lastButOne = last;
    last = histogram.count === 0 ? 0 : histogram.mean / 1e6;
    histogram.reset();
  };
  return {
    currentMs: (): number => {
      askedAt = performance.now();
      if (timer === undefined) {
        histogram.enable();
        timer = setInterval(endWindow, WINDOW_MS).unref();
      }
      return Math.min(last, lastButOne);
    },
    close: stop,
  };
}

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

export type Overload = ReturnType<typeof watchOverload>;

/** Watches the event loop, and the database while requests come. */
export function watchOverload(
  core: Pick<Core, "database">,
  settings: Pick<ApiSettings, "PARLEY_MAX_LOOP_DELAY_MS" | "PARLEY_DATABASE_WAIT_MS">,
) {
  const maxDelayMs = settings.PARLEY_MAX_LOOP_DELAY_MS || Infinity;
  const loopDelay = watchLoopDelay();
  const databaseWait = createDatabaseWait(core.database);
  return {
    /** Throws `rate_limit_error` while the event loop or the database is overloaded. */
    refuse: (): void => {
      const isOverloaded =
        loopDelay.currentMs() > maxDelayMs || databaseWait() > settings.PARLEY_DATABASE_WAIT_MS;
      if (!isOverloaded) return;
      throw new ParleyError("rate_limit_error", "The server is overloaded: try again", {
        retryAfterSeconds: 1,
      });
    },
    loopDelayMs: loopDelay.currentMs,
    close: loopDelay.close,
  };
}
