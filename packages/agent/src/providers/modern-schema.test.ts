import { describe, expect, it } from "vitest";
import { toModernSchema } from "./modern-schema.ts";

const $schema = "http://json-schema.org/draft-07/schema#";

describe("toModernSchema", () => {
  it.each([
    ["a schema of today", { type: "object" }, { type: "object" }],
    ["the name of a dialect", { $schema, type: "object" }, { type: "object" }],
    [
      "definitions, and references to them",
      {
        $schema,
        properties: {
          a: { $ref: "#/definitions/a~1b" },
          b: { $ref: "#/properties/definitions/items/0" },
        },
        definitions: {
          "a/b": { definitions: { c: { $ref: "#/definitions/a~1b/definitions/c" } } },
        },
      },
      {
        properties: {
          a: { $ref: "#/$defs/a~1b" },
          b: { $ref: "#/properties/definitions/prefixItems/0" },
        },
        $defs: { "a/b": { $defs: { c: { $ref: "#/$defs/a~1b/$defs/c" } } } },
      },
    ],
    [
      "items of places",
      { $schema, items: [{ type: "string" }, true], additionalItems: false },
      { prefixItems: [{ type: "string" }, true], items: false },
    ],
    [
      "additional items that there are none of",
      { $schema, items: { type: "string" }, additionalItems: false },
      { items: { type: "string" } },
    ],
    [
      "dependencies",
      { $schema, dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    [
      "what stood beside a reference",
      { $schema, properties: { a: { $ref: "#", description: "A", maxProperties: 1 } } },
      { properties: { a: { $ref: "#", description: "A" } } },
    ],
    [
      "what stands beside a reference since 2019",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        $ref: "#/$defs/a",
        maxProperties: 1,
      },
      { $ref: "#/$defs/a", maxProperties: 1 },
    ],
    ["anchors", { $schema, definitions: { a: { $id: "#a" } } }, { $defs: { a: { $anchor: "a" } } }],
    [
      "recursive references",
      { $recursiveAnchor: true, properties: { a: { $recursiveRef: "#" } } },
      { properties: { a: { $ref: "#" } } },
    ],
    [
      "names and data that read like keywords",
      {
        properties: {
          $schema: { type: "string" },
          items: { const: { $schema: 1, definitions: [] } },
        },
        default: { $schema: 1 },
      },
      {
        properties: {
          $schema: { type: "string" },
          items: { const: { $schema: 1, definitions: [] } },
        },
        default: { $schema: 1 },
      },
    ],
  ])("converts %s", (_name, schema, expected) => {
    expect(toModernSchema(schema)).toEqual(expected);
  });
});
