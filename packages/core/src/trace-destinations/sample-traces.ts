/** Which traces a destination is sent: all that failed, all that were slow, and a part of the others. */

/** How a destination chooses. */
export interface TraceSampling {
  readonly percent: number;
  readonly slowMs: number | null;
}

/** What is known of a run before its trace is read. */
export interface SampledRun {
  readonly traceId: string;
  readonly outcome: string | null;
  readonly createdAt: number;
  readonly finishedAt: number;
}

/** The digits of a trace id that are looked at: 52 bits, which a double holds. */
const LOOKED_DIGITS = 13;

/**
 * Whether the trace of a run is sent. Of what neither failed nor was slow, the id of the trace decides: each attempt, each
 * worker and each run of one trace choose alike.
 */
export function isSampled(
  { percent, slowMs }: TraceSampling,
  { traceId, outcome, createdAt, finishedAt }: SampledRun,
): boolean {
  if (outcome === "errored") return true;
  if (slowMs !== null && finishedAt - createdAt >= slowMs) return true;
  // Its last digits: some tracers begin their ids with the time.
  const place = Number.parseInt(traceId.slice(-LOOKED_DIGITS), 16) / 16 ** LOOKED_DIGITS;
  return place * 100 < percent;
}
