import { describe, expect, it } from "vitest";
import { nextDelayMs, readRetryAfter, RETRY_DELAYS_MS } from "./retry-schedule.ts";

const DAY_MS = 86_400_000;

describe("the times of attempts", () => {
  it("are three days in all, with a tenth of jitter to each side", () => {
    const sum = (random: number) =>
      RETRY_DELAYS_MS.map(
        (_, index) => nextDelayMs(index + 1, { random: () => random }) ?? 0,
      ).reduce((all, delay) => all + delay, 0);
    expect(sum(0.5) / DAY_MS).toBeCloseTo(3, 1);
    expect(sum(0) / sum(0.5)).toBeCloseTo(0.9);
    expect(sum(1) / sum(0.5)).toBeCloseTo(1.1);
  });

  it("end after the last", () => {
    const random = () => 0.5;
    expect(nextDelayMs(RETRY_DELAYS_MS.length, { random })).toBe(DAY_MS);
    expect(nextDelayMs(RETRY_DELAYS_MS.length + 1, { random })).toBeUndefined();
  });

  it("are later if the receiver says so, by a day at most", () => {
    const random = () => 0.5;
    expect(nextDelayMs(1, { random, retryAfterMs: 60_000 })).toBe(60_000);
    expect(nextDelayMs(1, { random, retryAfterMs: 1 })).toBe(5000);
    expect(nextDelayMs(1, { random, retryAfterMs: 40 * DAY_MS })).toBe(DAY_MS);
  });

  it.each([
    ["120", 120_000],
    ["Sat, 28 Nov 2026 00:01:00 GMT", 60_000],
    ["Fri, 27 Nov 2026 00:00:00 GMT", 0],
    ["soon", undefined],
    ["-1", undefined],
    ["99999999999", undefined],
    [null, undefined],
  ])("read Retry-After: %s", (header, expected) => {
    expect(readRetryAfter(header, Date.UTC(2026, 10, 28))).toBe(expected);
  });
});
