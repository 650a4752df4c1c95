import { describe, expect, it } from "vitest";
import { bucketsOf, sampledMinute, untilSample } from "./minutes.ts";

const noon = Date.UTC(2030, 0, 1, 12);

describe("bucketsOf", () => {
  it.each([
    { window: "hour", after: 0, start: -59 * 60_000, end: 60_000, count: 60 },
    { window: "hour", after: 59_999, start: -59 * 60_000, end: 60_000, count: 60 },
    { window: "day", after: 899_999, start: -95 * 900_000, end: 900_000, count: 96 },
    { window: "day", after: 900_000, start: -94 * 900_000, end: 1_800_000, count: 96 },
  ] as const)("has $count of a $window that end with the one of now", (expected) => {
    const { start, end, count, bucketMs } = bucketsOf(expected.window, noon + expected.after);
    expect({ start: start - noon, end: end - noon, count }).toMatchObject({
      start: expected.start,
      end: expected.end,
      count: expected.count,
    });
    expect(end - start).toBe(count * bucketMs);
  });
});

describe("samples", () => {
  it.each([
    { after: 0, until: 30_000, newest: -60_000 },
    { after: 29_999, until: 1, newest: -60_000 },
    { after: 30_000, until: 60_000, newest: -60_000 },
    // All have written by then.
    { after: 45_000, until: 45_000, newest: 0 },
    { after: 59_000, until: 31_000, newest: 0 },
  ])("are taken in the middle of a minute (after $after ms)", ({ after, until, newest }) => {
    expect(untilSample(noon + after)).toBe(until);
    expect(sampledMinute(noon + after) - noon).toBe(newest);
  });
});
