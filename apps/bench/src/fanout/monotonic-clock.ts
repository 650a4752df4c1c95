/** Milliseconds on the clock that all processes of a machine share (CLOCK_MONOTONIC on Linux). */
export function monotonicMs(): number {
  // `performance.now()` begins at the start of each process.
  return Number(process.hrtime.bigint()) / 1e6;
}
