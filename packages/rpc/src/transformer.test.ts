import { ParleyError } from "@parley/schema";
import superjson, { type SuperJSONResult } from "superjson";
import { describe, expect, it } from "vitest";
import { transformer } from "./transformer.ts";

/** What arrives of what a client with stock superjson sends. */
const receive = (input: unknown): unknown =>
  transformer.deserialize(JSON.parse(JSON.stringify(superjson.serialize(input))));

/** What is wrong with what was sent, as the sender is told. */
function refusalOf(sent: unknown): string {
  try {
    return `accepted ${JSON.stringify(transformer.deserialize(sent))}`;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.type !== "invalid_request_error") throw error;
    return error.message.replace("Invalid request body: ", "");
  }
}

describe("an answer", () => {
  it.each([
    { result: { constructor: 1, prototype: [2], nested: { constructor: null } } },
    { text: "a\nb\u2028c😀", list: [0, -1.5, true, null] },
    null,
  ])("is %j to clients", (answer: unknown) => {
    const sent = JSON.stringify(transformer.serialize(answer));
    const received: unknown = superjson.deserialize(JSON.parse(sent) as SuperJSONResult);
    expect(JSON.stringify(received)).toBe(JSON.stringify(answer));
  });
});

describe("an input", () => {
  const shared = { a: 1 };
  const at = new Date(0);

  it.each<[string, unknown]>([
    ["plain JSON", { a: [1, "x", null, true, { b: -1.5 }] }],
    ["times", { at, list: [at, { at }], "a.b\\c": { "\\.": at, "": at } }],
    ["members that are undefined", { a: undefined, b: { c: undefined }, "d.e": undefined, f: 1 }],
    ["undefined in a list", { list: [1, undefined, 3] }],
    ["one object in two places", { left: shared, right: shared, at }],
    ["minus zero", { a: -0, list: [-0] }],
    ["an invalid time", { at: new Date(Number.NaN) }],
    ["a time alone", at],
  ])("arrives as JSON has it: %s", (_name, input) => {
    expect(receive(input)).toStrictEqual(JSON.parse(JSON.stringify(input)));
  });

  it("may be nothing", () => {
    expect(receive(undefined)).toBeUndefined();
    expect(transformer.deserialize({ json: 1, meta: null })).toBe(1);
  });

  it.each<[unknown, string]>([
    [new Set([1]), "in.a[0]: must be JSON, and not set"],
    [new Map([["x", new Date()]]), "in.a[0]: must be JSON, and not map"],
    [12n, "in.a[0]: must be JSON, and not bigint"],
    [/x+/g, "in.a[0]: must be JSON, and not regexp"],
    [new URL("http://parley.test"), "in.a[0]: must be JSON, and not URL"],
    [new Error("x"), "in.a[0]: must be JSON, and not Error"],
    [new Uint8Array([1]), "in.a[0]: must be JSON, and not typed-array"],
    [Number.NaN, "in.a[0]: must be what superjson writes for number"],
    [-Infinity, "in.a[0]: must be what superjson writes for number"],
  ])("may not hold %s", (value, refusal) => {
    const sent = JSON.stringify(superjson.serialize({ in: { a: [value] } }));
    expect(refusalOf(JSON.parse(sent))).toBe(refusal);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["a text", "x"],
  ])("must not be %s", (_name, sent) => {
    expect(refusalOf(sent)).toBe(
      'must be an object with the input: plain JSON, or {"json": …} of superjson',
    );
  });

  const at0 = "1970-01-01T00:00:00.000Z";
  const missing = "has no member that meta.values names";
  it.each<[string, unknown, unknown, string]>([
    ["a list index that makes the list longer", [1], { "4294967294": ["undefined"] }, missing],
    ["a place below a text", { a: "x" }, { "a.length": ["undefined"] }, `a: ${missing}`],
    ["a place below nothing", { a: null }, { "a.b": ["undefined"] }, `a: ${missing}`],
    ["a prototype", { a: {} }, { "a.__proto__.x": ["undefined"] }, `a: ${missing}`],
    ["a method", { a: {} }, { "a.toString": ["undefined"] }, `a: ${missing}`],
    ["a place twice gone", { a: null }, { a: ["undefined"], "a.": ["undefined"] }, missing],
    [
      "a type of Object",
      { a: null },
      { a: ["constructor"] },
      "a: must be JSON, and not constructor",
    ],
    ["a class", { a: {} }, { a: [["class", "x"]] }, "a: must be JSON, and not class"],
    ["a type that is no name", { a: 1 }, { a: [{}] }, "a: must be JSON, and not such a type"],
    ["a note without a type", { a: 1 }, { a: [] }, "a: must be JSON, and not such a type"],
    ["a note that is a text", { a: 1 }, { a: "Date" }, "a: must be JSON, and not such a type"],
    ["notes within a note", { a: at0 }, { a: ["Date", {}] }, "a: must be JSON, and not Date"],
    [
      "a time that is none",
      { a: "2026" },
      { a: ["Date"] },
      "a: must be what superjson writes for Date",
    ],
    [
      "a day that is none",
      { a: "1970-13-01T00:00:00.000Z" },
      { a: ["Date"] },
      "a: must be what superjson writes for Date",
    ],
    [
      "a member that is there",
      { a: 1 },
      { a: ["undefined"] },
      "a: must be what superjson writes for undefined",
    ],
    [
      "a number that is one",
      { a: 7 },
      { a: ["number"] },
      "a: must be what superjson writes for number",
    ],
    [
      "a text for its notes",
      {},
      "x",
      "meta.values must be an object or a list, as superjson writes it",
    ],
    [
      "a long path",
      {},
      { ["x".repeat(10_001)]: ["Date"] },
      "meta.values must not have paths of over 10000 characters",
    ],
    [
      "a deep path",
      {},
      { [".".repeat(64)]: ["Date"] },
      "meta.values must not have paths deeper than 64",
    ],
  ])("is refused for %s", (_name, json, values, refusal) => {
    expect(refusalOf({ json, meta: { values } })).toBe(refusal);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("is refused for a meta that is no object", () => {
    expect(refusalOf({ json: 1, meta: 7 })).toBe("meta must be an object, as superjson writes it");
  });
});
