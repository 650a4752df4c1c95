import { setTimeout as sleep } from "node:timers/promises";
import { type Core, indexMessages } from "@parley/core";
import type { Logger } from "pino";
import type { WorkerMetrics } from "./runs/metrics.ts";

/** Time between looks for messages that are not indexed, with jitter of a half. */
const INDEX_INTERVAL_MS = 4000;

export interface MessageIndexingOptions {
  readonly core: Core;
  readonly logger: Logger;
  readonly metrics: Pick<WorkerMetrics, "indexed">;
}

/**
 * Indexes the words of messages, at once and then every few seconds; batches follow each other while there are more, for at
 * most half of the time. What fails is logged, and tried again. Gives a function that stops it, which resolves when the
 * current batch has ended.
 */
export function startMessageIndexing({
  core,
  logger,
  metrics,
}: MessageIndexingOptions): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      let pauseMs = (0.5 + core.random()) * INDEX_INTERVAL_MS;
      try {
        const { isAll, lagMs } = await indexMessages(core);
        if (lagMs !== undefined) metrics.indexed(lagMs);
        if (!isAll) pauseMs = performance.now() - startedAt;
      } catch (error) {
        logger.error({ err: error }, "Messages could not be indexed");
      }
      await pause(pauseMs);
    }
  }

  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}
