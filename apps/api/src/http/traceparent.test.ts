import { describe, expect, it } from "vitest";
import { parseTraceparent } from "./traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const ids = `${traceId}-${parentId}`;

describe("parseTraceparent", () => {
  it.each([
    ["sampled", `00-${ids}-01`, `00-${ids}-01`],
    ["not sampled", `00-${ids}-00`, `00-${ids}-00`],
    ["flags without a meaning yet", `00-${ids}-ff`, `00-${ids}-ff`],
    ["a later version", `01-${ids}-03`, `00-${ids}-01`],
    ["a later version with more", `cc-${ids}-02-what-comes`, `00-${ids}-00`],
  ])("takes %s", (_, header, taken) => {
    expect(parseTraceparent(header)).toBe(taken);
  });

  it.each([
    ["nothing", undefined],
    ["an empty header", ""],
    ["two headers", `00-${ids}-01, 00-${ids}-01`],
    ["a list of headers", [`00-${ids}-01`, `00-${ids}-01`]],
    ["more behind version 00", `00-${ids}-01-more`],
    ["more without a hyphen", `01-${ids}-01more`],
    ["the version that is none", `ff-${ids}-01`],
    ["upper case", `00-${ids.toUpperCase()}-01`],
    ["no flags", `00-${ids}`],
    ["a short trace id", `00-${traceId.slice(1)}-${parentId}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${parentId}-01`],
    ["a parent id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["space around it", ` 00-${ids}-01`],
    ["a line below it", `00-${ids}-01\n`],
  ])("ignores %s", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
