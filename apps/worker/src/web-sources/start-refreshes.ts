import { setTimeout as sleep } from "node:timers/promises";
import { type Core, startRefreshes } from "@parley/core";
import type { Logger } from "pino";

/** Time between looks for web sources whose time has come, with jitter of a half. */
const INTERVAL_MS = 5000;

/** Starts refreshes from time to time. Gives a function that stops it, which resolves once it has. */
export function startRefreshing({
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
        await startRefreshes(core);
      } catch (error) {
        if (!signal.aborted)
          logger.error({ err: error }, "Refreshes of web sources could not start");
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
