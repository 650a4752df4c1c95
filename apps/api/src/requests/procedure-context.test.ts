import { describe, expect, it } from "vitest";
import { parsePreferredWait } from "./procedure-context.ts";

describe("parsePreferredWait", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["respond-async", 0],
    ["Respond-Async", 0],
    ["respond-async, wait=10", 0],
    ["wait=10", 10_000],
    ["WAIT=10", 10_000],
    ["return=minimal , wait=0", 0],
    ["wait=5, wait=7", 5000],
    ["wait=", undefined],
    ["wait=-1", undefined],
    ["wait=1.5", undefined],
    ["wait=9999999", undefined],
    ["await=10", undefined],
    ["return=minimal", undefined],
    [["wait=3", "respond-async"], 0],
  ])("reads %j as %j ms", (header, waitMs) => {
    expect(parsePreferredWait(header)).toBe(waitMs);
  });
});
