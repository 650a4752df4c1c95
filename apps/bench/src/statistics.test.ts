import { describe, expect, test } from "vitest";
import { median, pairedRatio, percentile } from "./statistics.ts";

describe("percentile", () => {
  test.each([
    [[3, 1, 2], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.99, 4],
    [[7], 0, 7],
    [[], 0.5, Number.NaN],
  ])("of %j at %d is %d", (values, fraction, expected) => {
    expect(percentile(values, fraction)).toBe(expected);
  });
});

describe("median", () => {
  test.each([
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 2.5],
    [[10, 9], 9.5],
    [[], Number.NaN],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

test("a ratio is taken pair by pair", () => {
  expect(pairedRatio([2, 40, 3], [1, 10, 1])).toEqual({ median: 3, lowest: 2, highest: 4 });
});
