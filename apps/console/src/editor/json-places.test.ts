import { expect, test } from "vitest";
import { placeOfPath } from "./json-places.ts";

const text = `{
  "type": "object",
  "properties": {
    "a": { "type": "text" },
    "a.b": {
      "type": "number"
    },
    "list": [1, { "x": 2 },
      3]
  }
}`;

test.for([
  ["", 1, 1],
  ["type", 2, 3],
  ["properties.a.type", 4, 12],
  ["properties.a.b.type", 6, 7],
  ["properties.list[1].x", 8, 19],
  ["properties.list[2]", 9, 7],
  ["properties.list[7]", 8, 5],
  ["properties.unknown.more", 3, 3],
] as const)("finds %s", ([path, line, column]) => {
  expect(placeOfPath(text, path)).toEqual({ line, column });
});

test("finds the nearest value in a text that is not JSON", () => {
  expect(placeOfPath("", "a")).toEqual({ line: 1, column: 1 });
  expect(placeOfPath('{\n"a": {', "a.b")).toEqual({ line: 2, column: 1 });
});
