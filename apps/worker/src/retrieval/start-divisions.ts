import { setTimeout as sleep } from "node:timers/promises";
import { type Core, startDivisions, startEmbeddings, sweepEmbeddingSets } from "@parley/core";
import type { Logger } from "pino";

/** Time between looks for documents that are not divided or have no vectors, with jitter of a half. */
const INTERVAL_MS = 2000;

/** Starts divisions and embeddings from time to time. Gives a function that stops it, which resolves once it has. */
export function startDividing({
  core,
  logger,
}: {
  readonly core: Core;
  readonly logger: Logger;
}): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, with a pause between
        await startDivisions(core);
        // oxlint-disable-next-line no-await-in-loop -- a divided document is embedded next
        await startEmbeddings(core);
        // oxlint-disable-next-line no-await-in-loop -- and what is complete is searched
        await sweepEmbeddingSets(core);
      } catch (error) {
        if (!signal.aborted)
          logger.error({ err: error }, "Divisions or embeddings could not start");
      }
      // oxlint-disable-next-line no-await-in-loop -- the pause
      await sleep((0.5 + core.random()) * INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  const stopped = run();
  return async () => {
    stop.abort();
    await stopped;
  };
}
