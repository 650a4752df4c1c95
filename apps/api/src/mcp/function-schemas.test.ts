import { describe, expect, it } from "vitest";
import { toInput, toInputSchema, toOutputSchema, toStructured } from "./function-schemas.ts";

describe("the schemas of functions as tools", () => {
  it.each([
    ["any input", null, { type: "object" }],
    ["objects", { type: "object", required: ["a"] }, { type: "object", required: ["a"] }],
    ["members alone", { required: ["a"] }, { type: "object", required: ["a"] }],
  ])("take %s as arguments", (_, schema, expected) => {
    expect(toInputSchema(schema)).toEqual(expected);
    expect(toInput(schema, { a: 1 })).toEqual({ a: 1 });
  });

  it.each([
    { type: "string" },
    { enum: [1, 2] },
    { $ref: "#/$defs/word", $defs: { word: { type: "string" } } },
  ])("take %j as the member input", (schema) => {
    const input = { $id: "urn:parley:input", ...schema };
    expect(toInputSchema(schema)).toEqual({
      type: "object",
      properties: { input },
      required: ["input"],
    });
    expect(toInput(schema, { input: 2 })).toBe(2);
  });

  it.each([
    ["an object without a schema", null, { a: 1 }, { a: 1 }],
    ["a list without a schema", null, [1], { result: [1] }],
    ["an object by its schema", { type: "object" }, { a: 1 }, { a: 1 }],
    ["an object by a schema of any type", {}, { a: 1 }, { result: { a: 1 } }],
  ])("give %s as a structured result", (_, schema, result, expected) => {
    expect(toStructured(schema, result)).toEqual(expected);
    const { properties } = toOutputSchema(schema) ?? {};
    expect(properties !== undefined).toBe(schema !== null && "result" in expected);
  });
});
