import { describe, expect, it } from "vitest";
import { findSchemaFault, findValueFault, type JsonSchema } from "./json-schemas.ts";

const point: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    x: { $ref: "#/$defs/coordinate" },
    color: { enum: ["red", "blue"] },
    name: { type: "string", pattern: "^[a-z]+$" },
    code: { type: "string", pattern: "^[0-9]+$" },
    tags: { type: "array", items: { type: "string", minLength: 1 }, uniqueItems: true },
    shape: { anyOf: [{ const: "round" }, { type: "integer", minimum: 3 }] },
    never: false,
  },
  required: ["x"],
  additionalProperties: false,
  $defs: { coordinate: { type: "number" } },
};

/** References that double `depth` times: a few bytes that take for ever. */
function doubling(depth: number): JsonSchema {
  const levels = Array.from({ length: depth }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { allOf: [next, next] }];
  });
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries([...levels, [`d${depth}`, {}]]) };
}

/** The same, each time one level deeper in the value. */
const branching: JsonSchema = {
  allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }],
};

function nested(depth: number, leaf: unknown): unknown {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

describe("findValueFault", () => {
  it.each([
    [{ x: 1 }],
    [{ x: 1.5, color: "red", name: "abc", code: "42", tags: ["a", "b"], shape: 4 }],
  ])("finds nothing wrong with %j", (value) => {
    expect(findSchemaFault(point, "inputSchema")).toBeUndefined();
    expect(findValueFault(point, value, "input")).toBeUndefined();
  });

  it.each([
    [null, "input", "must be object"],
    [{}, "input", "must have required property 'x'"],
    [{ x: "1" }, "input.x", "must be number"],
    [{ x: 1, color: "green" }, "input.color", 'must be one of "red", "blue"'],
    [{ x: 1, name: "4" }, "input.name", 'must match pattern "^[a-z]+$"'],
    [{ x: 1, code: "abc" }, "input.code", 'must match pattern "^[0-9]+$"'],
    [{ x: 1, tags: ["a", ""] }, "input.tags[1]", "must NOT have fewer than 1 characters"],
    [{ x: 1, tags: ["a", "a"] }, "input.tags", expect.stringContaining("duplicate items")],
    [
      { x: 1, shape: 2 },
      "input.shape",
      'must match a schema in anyOf; must be "round"; must be >= 3',
    ],
    [{ x: 1, never: 1 }, "input.never", "must not be there"],
    [{ x: 1, "a/b~c": 1 }, "input.a/b~c", "must not be there"],
  ])("says of %j that %s %s", (value, path, message) => {
    expect(findValueFault(point, value, "input")).toEqual({ path, message });
  });

  it("takes no member of Object for one of the value's", () => {
    const schema = { properties: { toString: { type: "string" } }, required: ["valueOf"] };
    expect(findValueFault(schema, {}, "input")?.message).toContain("valueOf");
    expect(findValueFault(schema, { valueOf: 1 }, "input")).toBeUndefined();
  });

  it("bounds what it says of what is wrong", () => {
    const schema = { enum: Array.from({ length: 10_000 }, (_, index) => `value ${index}`) };
    expect(findValueFault(schema, "x", "input")!.message.length).toBeLessThan(600);
    const member = { additionalProperties: false };
    const fault = findValueFault(member, { ["\u{1f600}".repeat(10_000)]: 1 }, "input")!;
    expect(fault.path.length).toBeLessThan(600);
    expect(fault.path.isWellFormed()).toBe(true);
  });

  it("leaves the value as it is", () => {
    const value = Object.freeze({ x: "1" });
    const schema = { properties: { x: { type: "number" }, y: { default: 1 } } };
    findValueFault(schema, value, "input");
    expect(value).toEqual({ x: "1" });
  });

  it("ends a check that would take for ever, and refuses the next like it at once", () => {
    expect(findSchemaFault(branching, "inputSchema")).toBeUndefined();
    const deep = nested(60, 1);
    for (let times = 0; times < 1000; times++) {
      expect(findValueFault(branching, deep, "input")?.message).toContain("takes too long");
    }
    // What is less than half as large has another chance.
    expect(findValueFault(branching, nested(8, 1), "input")).toBeUndefined();
  });

  it("refuses what is nested too deeply for a schema that refers to itself", () => {
    const list: JsonSchema = { properties: { a: { $ref: "#" } } };
    expect(findValueFault(list, nested(60, 1), "result")).toBeUndefined();
    expect(findValueFault(list, nested(100_000, 1), "result")).toEqual({
      path: "result",
      message: "must not be nested so deeply",
    });
  });

  it("matches patterns in linear time", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    expect(findSchemaFault(schema, "inputSchema")).toBeUndefined();
    expect(findValueFault(schema, `${"a".repeat(5000)}b`, "input")?.message).toContain("pattern");
  });
});

describe("findSchemaFault", () => {
  const at = (path: string, message: string) => ({
    path,
    message: expect.stringContaining(message),
  });

  it.each<[string, JsonSchema, object]>([
    [
      "an unknown type",
      { properties: { a: { type: "numbr" } } },
      at("s.properties.a.type", "one of"),
    ],
    ["a keyword of another type", { required: "a" }, at("s.required", "must be array")],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      at("s.$schema", "2020-12"),
    ],
    ["a remote reference", { $ref: "https://example.com/x.json" }, at("s", "resolve reference")],
    ["a reference to nothing", { $ref: "#/$defs/none" }, at("s", "resolve reference")],
    ["an asynchronous schema", { $async: true }, at("s.$async", "must not be there")],
    ["a lookahead", { items: { pattern: "(?=a)" } }, at("s.items.pattern", "RE2")],
    ["a back reference", { pattern: "(a)\\1" }, at("s.pattern", "RE2")],
    ["a repetition of repetitions", { pattern: "((a{99}){99}){99}" }, at("s.pattern", "RE2")],
    ["half a pattern", { patternProperties: { "[": {} } }, at("s.patternProperties", "RE2")],
    ["a reference to itself", { $ref: "#" }, at("s", "without end")],
    [
      "two references to each other",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } },
      at("s", "without end"),
    ],
    ["references that double", doubling(60), at("s", "takes too long")],
  ])("refuses %s", (_name, schema, fault) => {
    expect(findSchemaFault(schema, "s")).toEqual(fault);
  });

  it.each<[string, JsonSchema]>([
    ["any value", {}],
    ["a recursive schema", { properties: { next: { $ref: "#" } } }],
    ["unknown keywords", { "x-note": "pattern", title: "A" }],
    ["a pattern that is data", { properties: { pattern: { const: { pattern: "(?=a)" } } } }],
    ["Unicode classes and escapes", { pattern: "^[\\p{L}\\u00e9\\w-]+$" }],
    ["an enum of 5,000 values", { enum: Array.from({ length: 5000 }, (_, index) => index) }],
    [
      "a large definition used often",
      {
        $defs: { big: { enum: Array.from({ length: 3000 }, (_, index) => index) } },
        properties: Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [`p${index}`, { $ref: "#/$defs/big" }]),
        ),
      },
    ],
    ["its own id", { $id: "https://example.com/a", $ref: "#/$defs/b", $defs: { b: true } }],
  ])("takes %s", (_name, schema) => {
    expect(findSchemaFault(schema, "s")).toBeUndefined();
  });

  it("lets no schema see another one", () => {
    const id = "https://example.com/shared";
    expect(findSchemaFault({ $id: id, type: "string" }, "s")).toBeUndefined();
    expect(findSchemaFault({ $id: id, type: "number" }, "s")).toBeUndefined();
    expect(findSchemaFault({ properties: { a: { $ref: id } } }, "s")).toEqual(at("s", "resolve"));
  });

  it.each([
    "'\"`]});globalThis.taken=true;//",
    "${globalThis.taken=true}",
    "*/ globalThis.taken=true /*",
  ])("runs nothing of what a schema says: %s", (code) => {
    const schema: JsonSchema = {
      $id: code.replaceAll(/[^\w]/g, ""),
      $comment: code,
      title: code,
      properties: { [code]: { const: code, description: code } },
      required: [code],
      enum: [code, { [code]: code }],
      dependentRequired: { [code]: [code] },
      $defs: { [code]: { $anchor: "a" } },
    };
    expect(findSchemaFault(schema, "s")).toBeUndefined();
    expect(findValueFault(schema, { [code]: code }, "input")).toBeUndefined();
    expect(findValueFault(schema, {}, "input")).toBeDefined();
    expect(globalThis).not.toHaveProperty("taken");
  });
});
