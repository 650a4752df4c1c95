import { startRefreshes } from "@parley/core";
import { type FromTimeToTime, fromTimeToTime } from "../runs/from-time-to-time.ts";

/** Time between looks for web sources whose time has come. */
const INTERVAL_MS = 5000;

/** Starts refreshes from time to time. Gives a function that stops it, which resolves once it has. */
export function startRefreshing(worker: FromTimeToTime): () => Promise<void> {
  const failed = "Refreshes of web sources could not start";
  return fromTimeToTime({ ...worker, intervalMs: INTERVAL_MS, failed }, () =>
    startRefreshes(worker.core),
  );
}
