import { describe, expect, it } from "vitest";
import { formatPath } from "../errors/invalid-request.ts";
import { findUnenforced } from "./enforced-schemas.ts";

const closed = (properties: Record<string, unknown>, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const gpt = { providerId: "openai", modelId: "gpt-5" };
const claude = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
const gemini = { providerId: "google_ai_studio", modelId: "gemini-2.5-flash" };
const kimi = { providerId: "fireworks", modelId: "accounts/fireworks/models/kimi-k2-instruct" };
const mistral = { providerId: "mistral", modelId: "mistral-large-latest" };
const grok = { providerId: "xai", modelId: "grok-4" };
const text = { type: "string" };

/** A schema of so many objects within each other. */
const nested = (levels: number): Record<string, unknown> =>
  closed({ x: levels === 1 ? text : nested(levels - 1) });
const enumOf = (count: number, characters: number) => {
  return { enum: Array.from({ length: count }, (_, i) => String(i).padStart(characters, "0")) };
};

describe("the keywords that a service enforces", () => {
  it.each([gpt, claude, gemini, kimi, mistral, grok])("are those of plain objects: %o", (pair) => {
    const schema = closed({ lines: { type: "array", items: closed({ name: text }) } });
    expect(
      findUnenforced(pair, { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }),
    ).toBeUndefined();
  });

  const tree = {
    $defs: { node: closed({ next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
  };
  const recursive = closed({ root: { $ref: "#/$defs/node" } }, tree);
  it.each([
    [gpt, closed({ age: { type: "integer", minimum: 0 } }), undefined],
    [claude, closed({ age: { type: "integer", minimum: 0 } }), "properties.age.minimum"],
    [gpt, closed({ name: { ...text, minLength: 1 } }), "properties.name.minLength"],
    [gpt, { ...closed({ name: text }), required: [] }, "required"],
    [claude, { ...closed({ name: text }), required: [] }, undefined],
    [gpt, { type: "object", properties: {}, required: [] }, "additionalProperties"],
    [gpt, closed({ at: { ...text, format: "uri" } }), "properties.at.format"],
    [claude, closed({ at: { ...text, format: "uri" } }), undefined],
    [gpt, { type: "array", items: text }, "type"],
    [gpt, closed({ any: { ...text, format: "ipv6", pattern: "^a" } }), undefined],
    [gpt, nested(10), undefined],
    [gpt, nested(11), `${"properties.x.".repeat(10)}properties`],
    [claude, nested(11), undefined],
    [gpt, closed({ a: enumOf(500, 3), b: enumOf(500, 3) }), undefined],
    [gpt, closed({ a: enumOf(500, 3), b: enumOf(501, 3) }), "properties.b.enum"],
    [claude, closed({ a: enumOf(1001, 4) }), undefined],
    [gpt, closed({ a: enumOf(251, 60) }), "properties.a.enum"],
    [gpt, closed({ a: enumOf(250, 61) }), undefined],
    [mistral, closed({ a: { enum: ["x"] } }), "properties.a.enum"],
    [mistral, closed({ a: { ...text, pattern: "x" } }), "properties.a.pattern"],
    [mistral, { ...closed({ name: text }), required: [] }, "required"],
    [gpt, closed({ any: {} }), "properties.any.type"],
    [gpt, closed({ any: true }), "properties.any"],
    [gpt, closed({ one: { anyOf: [text, { allOf: [text] }] } }), "properties.one.anyOf[1].allOf"],
    [
      gpt,
      closed({ one: { type: "object", additionalProperties: text } }),
      "properties.one.additionalProperties",
    ],
    [grok, closed({ one: { enum: [{}] } }), "properties.one.enum"],
    [gpt, recursive, undefined],
    [claude, recursive, "$defs.node.properties.next.anyOf[0].$ref"],
    [gpt, closed({ one: { $ref: "#/properties/two" } }), "properties.one.$ref"],
    [
      gpt,
      closed({ one: { $ref: "#/$defs/a", title: "A" } }, { $defs: { a: text } }),
      "properties.one.title",
    ],
  ])("are no others: %#", (pair, schema, path) => {
    const found = findUnenforced(pair, schema);
    expect(found && formatPath(found.path)).toBe(path);
  });

  it.each([
    { providerId: "simulated", modelId: "simulated-1" },
    { providerId: "openai_compatible", modelId: "llama" },
    { providerId: "deepseek", modelId: "deepseek-chat" },
    { providerId: "openai", modelId: "gpt-3.5-turbo" },
    { providerId: "openai", modelId: "gpt-4o-2024-05-13" },
    { providerId: "openai", modelId: "o1-mini" },
    { providerId: "openai", modelId: "ft:gpt-4o-2024-08-06:shop::id" },
    { providerId: "toString", modelId: "" },
  ])("are none of %o", (pair) => {
    expect(findUnenforced(pair, closed({ name: text }))).toMatchObject({ keyword: "type" });
  });
});
