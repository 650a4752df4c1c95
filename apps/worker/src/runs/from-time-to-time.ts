import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "@parley/core";
import type { Logger } from "pino";

/** What works from time to time has of its worker. */
export interface FromTimeToTime {
  readonly core: Core;
  readonly logger: Logger;
  /** No pause is longer, before its jitter: that of a test, which need not wait. */
  readonly mostPauseMs?: number | undefined;
}

interface Repeated extends FromTimeToTime {
  /** Time between the end of one and the next, with jitter of a half, so that workers do not do it together. */
  readonly intervalMs: number;
  /** What the log says when it fails; it is done again all the same. */
  readonly failed: string;
}

/**
 * Does something from time to time, once at a time. Gives a function that stops it, which aborts the signal and resolves once
 * it has.
 */
export function fromTimeToTime(
  { core, logger, intervalMs, failed, mostPauseMs = intervalMs }: Repeated,
  work: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const pauseMs = Math.min(intervalMs, mostPauseMs);

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, with a pause between
        await work(signal);
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, failed);
      }
      // oxlint-disable-next-line no-await-in-loop -- the pause
      await sleep((0.5 + core.random()) * pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  const stopped = run();
  return async () => {
    stop.abort();
    await stopped;
  };
}
