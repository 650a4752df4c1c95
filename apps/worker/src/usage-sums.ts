import { setTimeout as sleep } from "node:timers/promises";
import { type Core, settleLostUsage, sumUsage } from "@parley/core";
import type { Logger } from "pino";
import type { UsageMetrics } from "./runs/usage-metrics.ts";

/** Time between looks for entries of the ledger that no sum has, with jitter of a half. */
const SUM_INTERVAL_MS = 5000;
/** Time between looks for calls of models that nobody will settle. */
const SETTLE_INTERVAL_MS = 10_000;

export interface UsageSumsOptions {
  readonly core: Core;
  readonly logger: Logger;
  readonly metrics: UsageMetrics;
}

/**
 * Sums what the ledger has, which is then counted in the metrics, and settles calls of models whose attempt has ended
 * without them; at once, and then every few seconds. What fails is logged, and tried again.
 * Gives a function that stops it, which resolves when the current statement has ended.
 */
export function startUsageSums({ core, logger, metrics }: UsageSumsOptions): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function repeat(everyMs: number, work: () => Promise<boolean>): Promise<void> {
    while (!signal.aborted) {
      let isAll = true;
      try {
        isAll = await work();
      } catch (error) {
        logger.error({ err: error }, "Usage could not be summed");
      }
      if (isAll) await pause((0.5 + core.random()) * everyMs);
    }
  }

  const running = Promise.all([
    repeat(SUM_INTERVAL_MS, async () => {
      const summed = await sumUsage(core);
      for (const usage of summed) metrics.billed(usage);
      return summed.length === 0;
    }),
    repeat(SETTLE_INTERVAL_MS, async () => (await settleLostUsage(core)) === 0),
  ]);
  return async () => {
    stop.abort();
    await running;
  };
}
