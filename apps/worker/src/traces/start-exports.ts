import { startTraceExports } from "@parley/core";
import { type FromTimeToTime, fromTimeToTime } from "../runs/from-time-to-time.ts";

/** Time between looks for destinations after whose place runs have ended. */
const INTERVAL_MS = 4000;

/** Starts exports of traces from time to time. Gives a function that stops it, which resolves once it has. */
export function startExporting(
  worker: FromTimeToTime,
  /** Whether the server's settings name a destination. */
  { isOfServer }: { readonly isOfServer: boolean },
): () => Promise<void> {
  const failed = "Exports of traces could not start";
  return fromTimeToTime({ ...worker, intervalMs: INTERVAL_MS, failed }, () =>
    startTraceExports(worker.core, { isOfServer }),
  );
}
