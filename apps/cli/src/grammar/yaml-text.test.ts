import { expect, test } from "vitest";
import { readYamlText } from "./yaml-text.ts";

const placeIn = (text: string, ...path: PropertyKey[]): string => {
  const read = readYamlText(text);
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  const { line, column } = read.placeOf(path);
  return `${line}:${column}`;
};

test.for([
  { text: "a: 1\n", path: ["a"], place: "1:1" },
  { text: "# First\nmodel:\n  modelId: 7\n", path: ["model", "modelId"], place: "3:3" },
  { text: "model:\n  modelId: 7\n", path: ["model"], place: "1:1" },
  { text: "model: { modelId: 7 }\n", path: ["model", "modelId"], place: "1:10" },
  { text: "tools:\n  - one\n  - two\n", path: ["tools", 1], place: "3:5" },
  { text: "steps:\n  - text: x\n    call: 1\n", path: ["steps", "0", "call"], place: "3:5" },
  { text: '{\n  "a": {\n    "b": 1\n  }\n}', path: ["a", "b"], place: "3:5" },
  { text: "a: 1\r\nb: 2\r\n", path: ["b"], place: "2:1" },
  // What is missing is missing where its parent is.
  { text: "x: 1\nmodel:\n  modelId: 7\n", path: ["model", "providerId"], place: "2:1" },
  { text: "\nx: 1\n", path: ["name"], place: "2:1" },
  { text: "", path: ["name"], place: "1:1" },
])("$path of $text is at $place", ({ text, path, place }) => {
  expect(placeIn(text, ...path)).toBe(place);
});

test.for([
  { text: "a: [1, 2\n", fault: "2:1" },
  { text: "a: 1\n\tb: 2\n", fault: "2:1" },
  { text: "a: 1\na: 2\n", fault: "2:1" },
  { text: "a: &x 1\nb: *y\n", fault: "2:4" },
  { text: "a: 'b\n", fault: "2:1" },
])("$text is wrong at $fault", ({ text, fault }) => {
  const read = readYamlText(text);
  const [first] = "faults" in read ? read.faults : [];
  expect(`${first?.line}:${first?.column}`).toBe(fault);
  expect(first?.message).not.toMatch(/\n| at line /);
});

test("the value is that of the text", () => {
  expect(readYamlText("a: 1\nb: [x, null]\n")).toMatchObject({ value: { a: 1, b: ["x", null] } });
});
