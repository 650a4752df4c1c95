/**
 * Histograms of latencies whose buckets grow by a constant factor: a percentile is off by `LATENCY_ERROR` of itself at
 * most, whatever was measured, and histograms are merged by adding their counts.
 */

/** The greatest relative error of a percentile. */
export const LATENCY_ERROR = 0.05;

// What a bucket stands for is at most this far from what is in it; the rest of the error is for rounding.
const BUCKET_ERROR = 0.045;
export const BUCKET_FACTOR = (1 + BUCKET_ERROR) / (1 - BUCKET_ERROR);
/** The longest latency that is told apart, a month: what is longer counts as this. */
export const MAX_LATENCY_MS = 31 * 24 * 3_600_000;

/** The bucket of a latency in milliseconds; what is shorter than one counts as one. */
export function latencyBucket(ms: number): number {
  const bounded = Math.min(Math.max(ms, 1), MAX_LATENCY_MS);
  return Math.ceil(Math.log(bounded) / Math.log(BUCKET_FACTOR));
}

/** What the latencies of a bucket are taken for, in milliseconds with three significant digits. */
export function bucketLatency(bucket: number): number {
  const middle = (2 * BUCKET_FACTOR ** bucket) / (BUCKET_FACTOR + 1);
  return Number(middle.toPrecision(3));
}

/** Counts of latencies by their bucket. */
export type LatencyCounts = ReadonlyMap<number, number>;

/** The latency that a share of all do not exceed, as `percentile(counts, 0.95)`; null if there are none. */
export function percentile(counts: LatencyCounts, share: number): number | null {
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rest = Math.max(1, Math.ceil(total * share));
  for (const [bucket, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    rest -= count;
    if (rest <= 0) return bucketLatency(bucket);
  }
  return null;
}
