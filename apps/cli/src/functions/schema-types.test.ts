import { expect, it } from "vitest";
import { isWrittenFromSchemas, renderSchemaTypes } from "./schema-types.ts";

const typeOf = (inputSchema: unknown): string | undefined =>
  /export type Input = ([\s\S]*?);\n\n/.exec(renderSchemaTypes({ inputSchema }))?.[1];

it.each<[unknown, string]>([
  [undefined, "unknown"],
  [{}, "unknown"],
  [false, "never"],
  [{ type: "integer" }, "number"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ const: 7 }, "7"],
  [{ enum: ["a", 'b"', null, { x: 1 }] }, String.raw`"a" | "b\"" | null | unknown`],
  [{ enum: [] }, "never"],
  [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "integer" }] }, "string | number"],
  [{ type: "array", items: { type: "string" } }, "string[]"],
  [{ type: "array", items: { type: ["string", "null"] } }, "Array<string | null>"],
  [{ type: "array" }, "unknown[]"],
  [{ type: "array", items: [{ type: "string" }] }, "[string, ...unknown[]]"],
  [{ type: "array", prefixItems: [{ type: "number" }] }, "[number, ...unknown[]]"],
  [{ type: "object" }, "Record<string, unknown>"],
  [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  [{ type: "object", additionalProperties: false }, "Record<string, never>"],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "boolean" } } }, "boolean"],
  [{ $ref: "#/$defs/none" }, "unknown"],
  [{ $ref: "https://elsewhere.example/schema" }, "unknown"],
])("says of %j what TypeScript can", (schema, expected) => {
  expect(typeOf(schema)).toBe(expected);
});

it("writes the members of objects, with their descriptions, and ends where a schema refers to itself", () => {
  const node = {
    type: "object",
    properties: {
      name: { type: "string", description: "Who\n it is */" },
      "two words": { type: "object", properties: { a: { type: "null" } } },
    },
    required: ["name"],
  };
  expect(typeOf(node)).toBe(
    [
      "{",
      "  /** Who it is * / */",
      "  name: string;",
      '  "two words"?: {',
      "    a?: null;",
      "  };",
      "}",
    ].join("\n"),
  );
  const endless = { properties: { next: { $ref: "#" } } };
  expect(typeOf(endless)).toContain("next?: unknown;");
  expect(isWrittenFromSchemas(renderSchemaTypes({}))).toBe(true);
});

it("ends where references double", () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { properties: { a: next, b: next } }];
  });
  const doubling = { $ref: "#/$defs/d0", $defs: Object.fromEntries(levels) };
  expect(typeOf(doubling)?.length).toBeLessThan(1_000_000);
});
