import { expect, it } from "vitest";
import { readOutput, writeOutput } from "./page-outputs.ts";

const text = (value: string) => [{ type: "text", text: value }];

it.each([
  ["Sunny", "Sunny"],
  ["", ""],
  [{ degrees: 20 }, '{"degrees":20}'],
  [[1, "2"], '[1,"2"]'],
  [20, "20"],
  [null, "null"],
  ["20", '"20"'],
  ['{"a":1}', String.raw`"{\"a\":1}"`],
  ['"quoted"', String.raw`"\"quoted\""`],
])("gives the model of %j a text that is read as the same", (output, written) => {
  expect(writeOutput(output)).toBe(written);
  expect(readOutput(text(written))).toEqual(output);
});

it("leaves parts that are no text as they are", () => {
  const parts = [...text("1"), ...text("2")];
  expect(readOutput(parts)).toEqual(parts);
  expect(readOutput([{ type: "image" }])).toEqual([{ type: "image" }]);
  expect(writeOutput(undefined)).toBe("null");
});
