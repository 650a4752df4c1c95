import { setTimeout as sleep } from "node:timers/promises";
import type { Process } from "../context.ts";
import { sumMeasures } from "../measures/sum-measures.ts";
import { judgeAlerts } from "./judge-alerts.ts";

/** Time between two looks at what has ended, with jitter of a half. */
const INTERVAL_MS = 10_000;

/**
 * Adds what has ended to the sums, at once, and judges alerts, every few seconds until it is stopped. Every process does this: one
 * at a time writes. It is not the workers', so that somebody says that there are none. What fails is tried again.
 * Gives a function that stops it, which resolves when the current transaction has ended.
 */
export function startMeasureRecorder(
  core: Process,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const record = async (): Promise<void> => {
    // On a new database, what ends from now on is counted.
    await sumMeasures(core).catch(onError);
    while (!signal.aborted) {
      const waitMs = (0.5 + core.random()) * INTERVAL_MS;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await sumMeasures(core);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await judgeAlerts(core);
      } catch (error) {
        onError(error);
      }
    }
  };
  const running = record();
  return async () => {
    stop.abort();
    await running;
  };
}
