import { setTimeout as sleep } from "node:timers/promises";
import { type Core, startTraceExports } from "@parley/core";
import type { Logger } from "pino";

/** Time between looks for destinations after whose place runs have ended, with jitter of a half. */
const INTERVAL_MS = 4000;

/** Starts exports of traces from time to time. Gives a function that stops it, which resolves once it has. */
export function startExporting({
  core,
  isOfServer,
  logger,
}: {
  readonly core: Core;
  /** Whether the server's settings name a destination. */
  readonly isOfServer: boolean;
  readonly logger: Logger;
}): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, with a pause between
        await startTraceExports(core, { isOfServer });
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, "Exports of traces could not start");
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
