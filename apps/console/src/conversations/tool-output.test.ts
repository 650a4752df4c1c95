import { expect, test } from "vitest";
import { textsOfOutput } from "./tool-output.ts";

test.for([
  ["a text", { type: "text", text: "Done" }, "Done"],
  ["JSON in a text", { type: "text", text: '{"a":1}' }, '{\n  "a": 1\n}'],
  ["what only begins like JSON", { type: "text", text: "[draft] x" }, "[draft] x"],
  ["another part", { type: "resource", uri: "a" }, '{\n  "type": "resource",\n  "uri": "a"\n}'],
  ["a number in a text", { type: "text", text: "12345678901234567890" }, "12345678901234567890"],
  ["nothing", null, "null"],
] as const)("shows %s", ([, part, text]) => {
  expect(textsOfOutput([part])).toEqual([text]);
});
