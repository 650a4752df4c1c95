import type { ClaimedRun } from "./claimed-run.ts";

/** The run's log is closed, or another worker has taken the run over. */
export class LostLease extends Error {
  override readonly name = "LostLease";
}

/** The error of a run that may not write any more. */
export function lostLease(run: ClaimedRun): LostLease {
  return new LostLease(`Attempt ${run.attempt} no longer holds ${run.logId}`);
}
