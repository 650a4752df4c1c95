import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bucketLatency,
  LATENCY_ERROR,
  latencyBucket,
  MAX_LATENCY_MS,
  percentile,
} from "./latency-buckets.ts";

test("a bucket stands for each latency in it, off by at most the stated error", () => {
  const latency = fc.double({ min: 1, max: MAX_LATENCY_MS, noNaN: true });
  fc.assert(
    fc.property(latency, (ms) => {
      const shown = bucketLatency(latencyBucket(ms));
      expect(Math.abs(shown - ms)).toBeLessThanOrEqual(LATENCY_ERROR * ms);
    }),
    { numRuns: 2000 },
  );
});

test("what is shorter or longer than is told apart counts as the shortest and the longest", () => {
  expect(latencyBucket(-5)).toBe(latencyBucket(1));
  expect(latencyBucket(MAX_LATENCY_MS * 2)).toBe(latencyBucket(MAX_LATENCY_MS));
});

test("histograms of parts, added, have the percentiles of all", () => {
  const latencies = fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
    minLength: 1,
    maxLength: 60,
  });
  const countsOf = (values: readonly number[]) => {
    const counts = new Map<number, number>();
    for (const value of values) {
      const bucket = latencyBucket(value);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    return counts;
  };
  fc.assert(
    fc.property(latencies, latencies, fc.constantFrom(0.5, 0.95, 0.99), (one, other, share) => {
      const merged = countsOf(one);
      for (const [bucket, count] of countsOf(other)) {
        merged.set(bucket, (merged.get(bucket) ?? 0) + count);
      }
      const all = [...one, ...other].toSorted((a, b) => a - b);
      const exact = all[Math.ceil(all.length * share) - 1]!;
      const found = percentile(merged, share) ?? 0;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(LATENCY_ERROR * exact);
    }),
  );
  expect(percentile(new Map(), 0.5)).toBeNull();
});
