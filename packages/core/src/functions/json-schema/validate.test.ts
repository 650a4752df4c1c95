import type { Issue } from "@parley/schema";
import { afterAll, describe, expect, it } from "vitest";
import { createThreads } from "../../untrusted/threads.ts";
import { findSchemaFault, findValueFault, type JsonSchema } from "./validate.ts";

const threads = createThreads();
afterAll(() => threads.close());

const options = { workspaceId: 1, origin: "request" } as const;
const faultOf = (schema: JsonSchema, root = "s") =>
  findSchemaFault(threads, { schema, root }, options);
const valueFaultOf = async (schema: JsonSchema, value: unknown): Promise<Issue | undefined> =>
  jsonFaultOf(schema, JSON.stringify(value));
const jsonFaultOf = (schema: JsonSchema, json: string) =>
  findValueFault(threads, { schema, value: JSON.parse(json), json, root: "input" }, options);

const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";

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
  ])("finds nothing wrong with %j", async (value) => {
    expect(await faultOf(point)).toBeUndefined();
    expect(await valueFaultOf(point, value)).toBeUndefined();
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
    [{ x: 1, never: 1 }, "input.never", "is not allowed"],
    [{ x: 1, "a/b~c": 1 }, "input.a/b~c", "is not allowed"],
  ])("says of %j that %s %s", async (value, path, message) => {
    expect(await valueFaultOf(point, value)).toEqual({ path, message });
  });

  it.each<[string, JsonSchema, unknown, string | undefined]>([
    // Each keyword means nothing, or another thing, in the other dialects.
    ["items per place", { $schema: draft7, items: [{ type: "string" }] }, [1], "input[0]"],
    [
      "additional items",
      { $schema: draft7, items: [true], additionalItems: false },
      [1, 2],
      "input",
    ],
    [
      "no word beside a reference",
      { $schema: draft7, $ref: "#/definitions/a", maxLength: 1, definitions: { a: {} } },
      "long",
      undefined,
    ],
    [
      "the words beside a reference, in 2019-09",
      { $schema: draft2019, $ref: "#/$defs/a", maxLength: 1, $defs: { a: {} } },
      "long",
      "input",
    ],
    ["dependencies", { $schema: draft7, dependencies: { a: ["b"] } }, { a: 1 }, "input"],
    [
      "ids of draft 7",
      { $schema: draft7, items: { $ref: "#a" }, definitions: { a: { $id: "#a", type: "string" } } },
      [1],
      "input[0]",
    ],
    [
      "references to the whole, in 2019-09",
      { $schema: draft2019, properties: { next: { $recursiveRef: "#" } }, required: ["id"] },
      { id: 1, next: {} },
      "input.next",
    ],
    ["no later keyword in draft 7", { $schema: draft7, prefixItems: [false] }, [1], undefined],
    [
      "a dialect over https",
      { $schema: "https://json-schema.org/draft-07/schema", items: [false] },
      [1],
      "input[0]",
    ],
  ])("understands %s", async (_name, schema, value, path) => {
    expect(await faultOf(schema)).toBeUndefined();
    expect((await valueFaultOf(schema, value))?.path).toBe(path);
  });

  it("takes no member of Object for one of the value's", async () => {
    const schema = { properties: { toString: { type: "string" } }, required: ["valueOf"] };
    expect((await valueFaultOf(schema, {}))?.message).toContain("valueOf");
    expect(await valueFaultOf(schema, { valueOf: 1 })).toBeUndefined();
  });

  it("bounds what it says of what is wrong", async () => {
    const schema = { enum: Array.from({ length: 10_000 }, (_, index) => `value ${index}`) };
    expect((await valueFaultOf(schema, "x"))!.message.length).toBeLessThan(600);
    const member = { additionalProperties: false };
    const fault = (await valueFaultOf(member, { ["\u{1f600}".repeat(10_000)]: 1 }))!;
    expect(fault.path.length).toBeLessThan(600);
    expect(fault.path.isWellFormed()).toBe(true);
  });

  it("leaves the value as it is", async () => {
    const value = Object.freeze({ x: "1" });
    const schema = { properties: { x: { type: "number" }, y: { default: 1 } } };
    await valueFaultOf(schema, value);
    expect(value).toEqual({ x: "1" });
  });

  it("ends a check that would take for ever, and checks the next", async () => {
    expect(await faultOf(branching)).toBeUndefined();
    expect((await valueFaultOf(branching, nested(60, 1)))?.message).toContain("takes too long");
    expect(await valueFaultOf(branching, nested(8, 1))).toBeUndefined();
  });

  it("holds nobody up with a slow pattern that is looked for in a megabyte", async () => {
    const schema = { pattern: `(${"a?".repeat(500)}b){1,40}c` };
    let longestMs = 0;
    const startedAt = performance.now();
    let before = startedAt;
    const timer = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - before);
      before = now;
    }, 5);
    await faultOf(schema);
    await valueFaultOf(schema, "a".repeat(1_000_000));
    clearInterval(timer);
    expect(longestMs).toBeLessThan((performance.now() - startedAt) / 2);
  });

  it("refuses what is nested too deeply for a schema that refers to itself", async () => {
    const list: JsonSchema = { properties: { a: { $ref: "#" } } };
    expect(await valueFaultOf(list, nested(60, 1))).toBeUndefined();
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(await jsonFaultOf(list, deep)).toEqual({
      path: "input",
      message: "is nested too deeply",
    });
  });

  it("matches patterns in linear time", async () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    expect(await faultOf(schema)).toBeUndefined();
    expect((await valueFaultOf(schema, `${"a".repeat(5000)}b`))?.message).toContain("pattern");
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
      "an unknown dialect",
      { $schema: "http://json-schema.org/draft-03/schema#" },
      at("s.$schema", "draft-07, not http://json-schema.org/draft-03/schema#"),
    ],
    [
      "two dialects in one schema",
      {
        properties: { a: { $schema: "http://json-schema.org/draft-07/schema#" } },
      },
      at("s.properties.a.$schema", "of the whole schema"),
    ],
    ["a reference to a metaschema", { $ref: draft7 }, at("s", "resolve reference")],
    [
      "a keyword of another type, in draft 7",
      { $schema: draft7, items: 1 },
      at("s.items", "must be"),
    ],
    ["a remote reference", { $ref: "https://example.com/x.json" }, at("s", "resolve reference")],
    ["a reference to nothing", { $ref: "#/$defs/none" }, at("s", "resolve reference")],
    ["an asynchronous schema", { $async: true }, at("s.$async", "is not allowed")],
    ["a lookahead", { items: { pattern: "(?=a)" } }, at("s.items.pattern", "RE2")],
    ["a back reference", { pattern: "(a)\\1" }, at("s.pattern", "RE2")],
    ["a repetition of repetitions", { pattern: "((a{99}){99}){99}" }, at("s.pattern", "RE2")],
    ["half a pattern", { patternProperties: { "[": {} } }, at("s.patternProperties", "RE2")],
    ["a reference to itself", { $ref: "#" }, at("s", "endlessly")],
    [
      "two references to each other",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } },
      at("s", "endlessly"),
    ],
    ["references that double", doubling(60), at("s", "takes too long")],
  ])("refuses %s", async (_name, schema, fault) => {
    expect(await faultOf(schema)).toEqual(fault);
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
  ])("takes %s", async (_name, schema) => {
    expect(await faultOf(schema)).toBeUndefined();
  });

  it("lets no schema see another one", async () => {
    const id = "https://example.com/shared";
    expect(await faultOf({ $id: id, type: "string" })).toBeUndefined();
    expect(await faultOf({ $id: id, type: "number" })).toBeUndefined();
    expect(await faultOf({ properties: { a: { $ref: id } } })).toEqual(at("s", "resolve"));
  });

  it.each([
    "'\"`]});globalThis.taken=true;//",
    "${globalThis.taken=true}",
    "*/ globalThis.taken=true /*",
  ])("runs nothing of what a schema says: %s", async (code) => {
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
    expect(await faultOf(schema)).toBeUndefined();
    expect(await valueFaultOf(schema, { [code]: code })).toBeUndefined();
    expect(await valueFaultOf(schema, {})).toBeDefined();
    expect(globalThis).not.toHaveProperty("taken");
  });
});
