import { describe, expect, it } from "vitest";
import { isSampled } from "./sample-traces.ts";

const run = { traceId: "4".repeat(32), outcome: "succeeded", createdAt: 1000, finishedAt: 2000 };
const idAt = (place: string) => "0".repeat(19) + place.padEnd(13, "0");

describe("which traces are sent", () => {
  it.each([
    ["all at 100 %", { percent: 100, slowMs: null }, {}, true],
    ["none at 0 %", { percent: 0, slowMs: null }, {}, false],
    [
      "the smallest id at any percentage",
      { percent: 0.001, slowMs: null },
      { traceId: idAt("0") },
      true,
    ],
    ["an id below half at 50 %", { percent: 50, slowMs: null }, { traceId: idAt("7f") }, true],
    ["no id from half on at 50 %", { percent: 50, slowMs: null }, { traceId: idAt("8") }, false],
    ["the largest id at 100 %", { percent: 100, slowMs: null }, { traceId: "f".repeat(32) }, true],
    ["what failed at 0 %", { percent: 0, slowMs: null }, { outcome: "errored" }, true],
    [
      "not what was cancelled at 0 %",
      { percent: 0, slowMs: null },
      { outcome: "cancelled" },
      false,
    ],
    ["what took as long as the limit", { percent: 0, slowMs: 1000 }, {}, true],
    ["not what was faster", { percent: 0, slowMs: 1001 }, {}, false],
  ])("%s", (_what, sampling, changed, expected) => {
    expect(isSampled(sampling, { ...run, ...changed })).toBe(expected);
  });
});
