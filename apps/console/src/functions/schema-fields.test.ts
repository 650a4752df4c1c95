import { expect, test } from "vitest";
import { fieldsOf, inputOf, textsOf } from "./schema-fields.ts";

const schema = {
  type: "object",
  required: ["name", "count"],
  properties: {
    price: { type: "number" },
    name: { type: "string", description: "Who" },
    count: { type: "integer", default: 2 },
    isPaid: { type: "boolean" },
    size: { enum: ["small", 7, null] },
    lines: { type: "array", items: { type: "string" } },
  },
};
const fields = fieldsOf(schema) ?? [];

test("creates a field for each property by its type, the required ones first", () => {
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["name", "text", true],
    ["count", "integer", true],
    ["price", "number", false],
    ["isPaid", "boolean", false],
    ["size", "choice", false],
    ["lines", "json", false],
  ]);
  expect(fields[0]?.description).toBe("Who");
  expect(fields[4]?.choices).toEqual(['"small"', "7", "null"]);
});

test.for([null, {}, { type: "array", items: {} }, { type: "string", properties: {} }])(
  "creates no form from %o",
  (other) => {
    expect(fieldsOf(other)).toBeUndefined();
  },
);

test("gives back the input that the fields were filled from", () => {
  const input = {
    name: "",
    count: 3,
    price: 1.5,
    isPaid: false,
    size: null,
    lines: ["a", "b"],
  };
  expect(inputOf(fields, textsOf(fields, input))).toEqual({ input });
});

test("starts with the defaults, and omits empty fields", () => {
  expect(inputOf(fields, { ...textsOf(fields), name: "Ada" })).toEqual({
    input: { name: "Ada", count: 2 },
  });
});

test("gives the error of each field", () => {
  const texts = { name: "Ada", count: "1.5", price: "much", lines: "[", isPaid: "true" };
  expect(inputOf(fields, texts)).toEqual({
    errors: {
      count: "Enter a whole number",
      price: "Enter a number",
      lines: expect.stringContaining("Invalid JSON"),
    },
  });
  expect(inputOf(fields, {})).toEqual({ errors: { count: "Required" } });
});
