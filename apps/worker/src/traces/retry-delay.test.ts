import { describe, expect, it } from "vitest";
import { retryDelayMs } from "./retry-delay.ts";

describe("the delays between attempts to send traces", () => {
  const random = () => 0.5;

  it.each([
    [0, 2000],
    [1, 4000],
    [8, 512_000],
    [9, 600_000],
    [10_000, 600_000],
  ])("after %i failures before: %i ms", (failures, expected) => {
    expect(retryDelayMs(failures, { random })).toBe(expected);
  });

  it("vary by a tenth to each side", () => {
    expect(retryDelayMs(0, { random: () => 0 })).toBeCloseTo(1800);
    expect(retryDelayMs(0, { random: () => 1 })).toBeCloseTo(2200);
  });

  it("are later if the destination says so, by an hour at most", () => {
    expect(retryDelayMs(0, { random, retryAfterMs: 60_000 })).toBe(60_000);
    expect(retryDelayMs(0, { random, retryAfterMs: 1 })).toBe(2000);
    expect(retryDelayMs(0, { random, retryAfterMs: 1e12 })).toBe(3_600_000);
  });
});
