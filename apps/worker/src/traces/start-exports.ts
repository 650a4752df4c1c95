import { type Core, startTraceExports } from "@parley/core";
import type { Logger } from "pino";
import { fromTimeToTime } from "../runs/from-time-to-time.ts";

/** Time between looks for destinations after whose place runs have ended. */
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
  const failed = "Exports of traces could not start";
  return fromTimeToTime({ core, logger, intervalMs: INTERVAL_MS, failed }, () =>
    startTraceExports(core, { isOfServer }),
  );
}
