import { describe, expect, it } from "vitest";
import { measureOf } from "./observe.ts";
import { judge, type OpenIncident } from "./judge.ts";

const MINUTE_MS = 60_000;
const now = 1_000_000_000;
const above = { comparison: "above", threshold: 10, until: 5, forMinutes: 0 } as const;
const below = { comparison: "below", threshold: 1, until: 2, forMinutes: 0 } as const;
const slow = { ...above, forMinutes: 5 };
const open: OpenIncident = { beganAt: now - 1, openedAt: now - 1, worst: 20 };
const pending = (minutes: number): OpenIncident => ({
  beganAt: now - minutes * MINUTE_MS,
  openedAt: null,
  worst: 20,
});

describe("an alert", () => {
  it.each([
    { rule: above, value: 10, incident: undefined, verdict: "nothing" },
    { rule: above, value: 11, incident: undefined, verdict: "open" },
    { rule: above, value: null, incident: undefined, verdict: "nothing" },
    // Between the threshold and where it ends, it stays as it is.
    { rule: above, value: 7, incident: open, verdict: "nothing" },
    { rule: above, value: 7, incident: undefined, verdict: "nothing" },
    { rule: above, value: 5, incident: open, verdict: "close" },
    { rule: above, value: null, incident: open, verdict: "close" },
    { rule: above, value: 21, incident: open, verdict: "worsen" },
    { rule: below, value: 0, incident: undefined, verdict: "open" },
    { rule: below, value: 1, incident: undefined, verdict: "nothing" },
    { rule: below, value: 1, incident: { ...open, worst: 0 }, verdict: "nothing" },
    { rule: below, value: 2, incident: { ...open, worst: 0 }, verdict: "close" },
    // It opens once the measure has been beyond the threshold for long enough, without a break.
    { rule: slow, value: 11, incident: undefined, verdict: "begin" },
    { rule: slow, value: 11, incident: pending(4), verdict: "nothing" },
    { rule: slow, value: 11, incident: pending(5), verdict: "open" },
    { rule: slow, value: 9, incident: pending(4), verdict: "drop" },
    { rule: slow, value: null, incident: pending(4), verdict: "drop" },
  ])("with $value of $rule.threshold: $verdict", ({ rule, value, incident, verdict }) => {
    expect(judge(rule, { value, incident, now })).toBe(verdict);
  });

  const sums = new Map([
    ["answers", 20n],
    ["errored", 5n],
    ["whole:10", 19n],
    ["whole:90", 1n],
    ["first:60", 2n],
  ]);

  it.each([
    { measure: "error_rate", minAnswers: 20, value: 25 },
    { measure: "error_rate", minAnswers: 21, value: null },
    { measure: "answers", minAnswers: 21, value: 20 },
    { measure: "errors", minAnswers: 0, value: 5 },
    { measure: "whole_p95", minAnswers: 0, value: 2.35 },
    { measure: "first_token_p95", minAnswers: 0, value: 212 },
  ] as const)("looks at $measure of at least $minAnswers answers", ({ value, ...rule }) => {
    expect(measureOf(sums, rule)).toBe(value);
    expect(measureOf(new Map(), { measure: "error_rate", minAnswers: 0 })).toBeNull();
    expect(measureOf(new Map(), { measure: "answers", minAnswers: 0 })).toBe(0);
  });
});
