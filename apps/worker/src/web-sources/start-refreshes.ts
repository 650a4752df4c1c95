import { type Core, startRefreshes } from "@parley/core";
import type { Logger } from "pino";
import { fromTimeToTime } from "../runs/from-time-to-time.ts";

/** Time between looks for web sources whose time has come. */
const INTERVAL_MS = 5000;

/** Starts refreshes from time to time. Gives a function that stops it, which resolves once it has. */
export function startRefreshing({
  core,
  logger,
}: {
  readonly core: Core;
  readonly logger: Logger;
}): () => Promise<void> {
  const failed = "Refreshes of web sources could not start";
  return fromTimeToTime({ core, logger, intervalMs: INTERVAL_MS, failed }, () =>
    startRefreshes(core),
  );
}
