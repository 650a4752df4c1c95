import process from "node:process";
import { ParleyError } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { transformer } from "./transformer.ts";

// What only an attacker sends: superjson would build it, or fail over it.

const at0 = "1970-01-01T00:00:00.000Z";

/** What is wrong with the annotations of a value, as their sender is told. */
function refusalOf(json: unknown, meta: unknown): string {
  const before = Object.getOwnPropertyNames(Object.prototype);
  try {
    return `accepted ${JSON.stringify(transformer.deserialize({ json, meta }))}`;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.type !== "invalid_request_error") throw error;
    return error.message.replace("Invalid request body: ", "");
  } finally {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect(Object.getOwnPropertyNames(Array.prototype)).not.toContain("x");
  }
}

const missing = "has no member that meta.values names";
const equalities = "meta must have no referentialEqualities: each place has its own value";
const not = (kind: string) =>
  `must be JSON, a Date, bigint, Map, Set or undefined, and not ${kind}`;
const written = (kind: string) => `must be what superjson writes for ${kind}`;
const early = "must not be a Map or a Set before meta.values has named what is in it";

describe("an input is refused", () => {
  it.each<[string, unknown, unknown, string]>([
    ["a list index that makes the list longer", [1], { "4294967294": ["undefined"] }, missing],
    ["a list index of another spelling", [at0], { "00": ["Date"] }, missing],
    ["a list index that is not a number", [at0], { "": ["Date"] }, missing],
    ["the length of a list", { a: [1] }, { "a.length": ["undefined"] }, `a: ${missing}`],
    ["a place below a text", { a: "x" }, { "a.length": ["undefined"] }, `a: ${missing}`],
    ["a place below nothing", { a: null }, { "a.b": ["undefined"] }, `a: ${missing}`],
    ["a method", { a: {} }, { "a.toString": ["undefined"] }, `a: ${missing}`],
    [
      "a prototype",
      { a: {} },
      { "a.__proto__.x": ["undefined"] },
      "a: meta.values must not name __proto__",
    ],
    [
      "an own member that is named as the prototype is",
      JSON.parse('{"__proto__":{"x":null}}'),
      { "__proto__.x": ["undefined"] },
      "meta.values must not name __proto__",
    ],
    [
      "a constructor",
      { a: { constructor: { prototype: { x: at0 } } } },
      { "a.constructor.prototype.x": ["Date"] },
      "a: meta.values must not name constructor",
    ],
    [
      "a prototype in a Map",
      [["x", { prototype: at0 }]],
      ["map", { "0.1.prototype": ["Date"] }],
      "[0][1]: meta.values must not name prototype",
    ],
    ["a place twice gone", { a: null }, { a: ["undefined"], "a.": ["undefined"] }, `a: ${missing}`],
    ["a kind of Object", { a: null }, { a: ["constructor"] }, `a: ${not("constructor")}`],
    ["a kind of its prototype", { a: null }, { a: ["__proto__"] }, `a: ${not("__proto__")}`],
    ["a class", { a: {} }, { a: [["class", "x"]] }, `a: ${not("class")}`],
    ["a custom value", { a: {} }, { a: [["custom", "x"]] }, `a: ${not("custom")}`],
    ["a symbol", { a: "x" }, { a: [["symbol", "x"]] }, `a: ${not("symbol")}`],
    [
      "a typed array",
      { a: 1e9 },
      { a: [["typed-array", "Uint8Array"]] },
      `a: ${not("typed-array")}`,
    ],
    ["a regular expression", { a: "/(x+)+$/" }, { a: ["regexp"] }, `a: ${not("regexp")}`],
    ["an error", { a: { message: "x" } }, { a: ["Error"] }, `a: ${not("Error")}`],
    ["a URL", { a: "file:///" }, { a: ["URL"] }, `a: ${not("URL")}`],
    ["a kind that is no name", { a: 1 }, { a: [{}] }, `a: ${not("such a type")}`],
    ["a note without a kind", { a: 1 }, { a: [] }, `a: ${not("such a type")}`],
    ["a note that is a text", { a: 1 }, { a: "Date" }, `a: ${not("such a type")}`],
    [
      "a note that is a tree",
      { a: { b: at0 } },
      { a: { b: ["Date"] } },
      `a: ${not("such a type")}`,
    ],
    ["a note of three", { a: at0 }, { a: ["Date", undefined, 1] }, `a: ${not("Date")}`],
    [
      "notes within a time",
      { a: at0 },
      { a: ["Date", {}] },
      "a: must have no values in it that meta.values names: it is a Date",
    ],
    [
      "notes within a Set that are a list",
      { a: [1] },
      { a: ["set", [["Date"]]] },
      "a: must have no values in it that meta.values names: it is a set",
    ],
    ["a time that is none", { a: "2026" }, { a: ["Date"] }, `a: ${written("Date")}`],
    [
      "a day that is none",
      { a: "1970-13-01T00:00:00.000Z" },
      { a: ["Date"] },
      `a: ${written("Date")}`,
    ],
    ["a time that is a number", { a: 1e300 }, { a: ["Date"] }, `a: ${written("Date")}`],
    ["a value for undefined", { a: 1 }, { a: ["undefined"] }, `a: ${written("undefined")}`],
    ["a number that is one", { a: 7 }, { a: ["number"] }, `a: ${written("number")}`],
    ["a bigint in hexadecimal", { a: "0x10" }, { a: ["bigint"] }, `a: ${written("bigint")}`],
    ["a bigint of nothing", { a: "" }, { a: ["bigint"] }, `a: ${written("bigint")}`],
    ["a bigint of a number", { a: 1 }, { a: ["bigint"] }, `a: ${written("bigint")}`],
    ["a Set of a text", { a: "xyz" }, { a: ["set"] }, `a: ${written("set")}`],
    ["a Set of nothing", { a: null }, { a: ["set"] }, `a: ${written("set")}`],
    ["a Map of an object", { a: {} }, { a: ["map"] }, `a: ${written("map")}`],
    ["a Map of triples", { a: [[1, 2, 3]] }, { a: ["map"] }, `a: ${written("map")}`],
    ["a Map of texts", { a: ["xy"] }, { a: ["map"] }, `a: ${written("map")}`],
    [
      "a Map of Sets",
      { a: [[1, 2]] },
      { a: ["map", { "0": ["set"] }] },
      "a: must be a Map of pairs",
    ],
    [
      "a Map of a Set",
      { a: [[1, 2]] },
      { a: ["set"], "\\a": ["map"] },
      "meta.values must have paths as superjson writes them",
    ],
    ["a place in a Map that is one", [[1, at0]], { x: ["set"] }, missing],
    ["a place in a Set that is one", { a: [at0] }, { a: ["set"], "a.0": ["Date"] }, `a: ${early}`],
    [
      "a key of a Map that is one",
      { a: [["__proto__", at0]] },
      { a: ["map"], "a.0.0": ["undefined"] },
      `a: ${early}`,
    ],
    [
      "a path that ends in a backslash",
      { a: at0 },
      { "a\\": ["Date"] },
      "meta.values must have paths as superjson writes them",
    ],
    [
      "a text for its notes",
      {},
      "x",
      "meta.values must be an object or a list, as superjson writes it",
    ],
  ])("for %s", (_name, json, values, refusal) => {
    expect(refusalOf(json, { values, v: 1 })).toBe(refusal);
  });

  it.each<[string, unknown, string]>([
    ["no object", 7, "meta must be an object, as superjson writes it"],
    ["a list", [], "meta must be an object, as superjson writes it"],
    ["of another version", { v: 2 }, "meta.v must be 1, or 0"],
    ["of the version of a text", { v: "1" }, "meta.v must be 1, or 0"],
    ["of unknown members", { other: {} }, "meta must have no members but values and v"],
    // CVE-2022-23631: what is assigned to these paths runs code.
    ["a pollution of all objects", { referentialEqualities: { a: ["__proto__.x"] } }, equalities],
    [
      "a pollution by a constructor",
      { referentialEqualities: { "a.b": ["constructor.prototype.x"] }, v: 1 },
      equalities,
    ],
    ["a pollution by the root", { referentialEqualities: [["__proto__.x"]] }, equalities],
    ["a value within itself", { referentialEqualities: [["a"]] }, equalities],
    ["one object in two places", { referentialEqualities: { a: ["c"] }, v: 1 }, equalities],
  ])("for a meta that is %s", (_name, meta, refusal) => {
    expect(refusalOf({ a: { b: 1 }, c: { b: 1 } }, meta)).toBe(refusal);
  });
});

describe("a huge meta", () => {
  const times = (count: number, name = (index: number) => `${index}`) => ({
    json: Array.from({ length: count }, () => at0),
    meta: {
      values: Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), ["Date"]])),
      v: 1,
    },
  });
  const padded = (count: number, length: number) => {
    const name = (index: number) => `${index}`.padEnd(length, "x");
    const { json, meta } = times(count, name);
    return { json: Object.fromEntries(json.map((time, index) => [name(index), time])), meta };
  };
  const refused = ({ json, meta }: { json: unknown; meta: unknown }) => refusalOf(json, meta);

  it("may name 10,000 values, and no more", () => {
    const { json, meta } = times(10_000);
    expect(transformer.deserialize({ json, meta })).toHaveLength(10_000);
    expect(json.every((value: unknown) => value instanceof Date)).toBe(true);
    expect(refused(times(10_001))).toBe("meta.values must name at most 10000 values");
    const inside = { a: ["set", times(10_000).meta.values] };
    expect(refusalOf({ a: times(10_000).json }, { values: inside, v: 1 })).toBe(
      "meta.values must name at most 10000 values",
    );
  });

  it("may have paths of 1,000 characters, and no longer", () => {
    const long = (length: number) => {
      const name = "x".repeat(length);
      return { json: { [name]: null }, meta: { values: { [name]: ["undefined"] }, v: 1 } };
    };
    expect(refused(long(1000))).toBe("accepted {}");
    expect(refused(long(1001))).toBe("meta.values must not have paths of over 1000 characters");
    const many = (count: number) => refused(padded(count, 500));
    expect(many(2000)).toMatch(/^accepted/);
    expect(many(2001)).toBe("meta.values must not have paths of over 1000000 characters together");
  });

  it("may name values 64 levels deep, also below each other, and no deeper", () => {
    const nested = (levels: number, value: unknown): unknown =>
      levels === 0 ? value : [nested(levels - 1, value)];
    const path = (levels: number) => Array.from({ length: levels }, () => "0").join(".");
    const sets = (levels: number): unknown =>
      levels === 0 ? ["Date"] : ["set", { "0": sets(levels - 1) }];
    const deeper = "meta.values must not have paths deeper than 64";
    expect(refusalOf(nested(64, at0), { values: { [path(64)]: ["Date"] } })).toMatch(/^accepted/);
    expect(refusalOf(nested(65, at0), { values: { [path(65)]: ["Date"] } })).toBe(deeper);
    expect(refusalOf(nested(64, at0), { values: sets(64) })).toMatch(/^accepted/);
    expect(refusalOf(nested(65, at0), { values: sets(65) })).toBe(deeper);
  });

  it("may have bigints of 100 digits, and no longer", () => {
    const big = (digits: number) =>
      refusalOf({ a: "9".repeat(digits) }, { values: { a: ["bigint"] } });
    expect(() => big(100)).toThrow("serialize a BigInt");
    expect(big(101)).toBe(`a: ${written("bigint")}`);
  });

  it.each<[string, () => { json: unknown; meta: unknown }]>([
    ["of as many times as may be", () => times(10_000)],
    ["of far too many", () => times(50_000)],
    ["of 8 MiB of paths", () => padded(10_000, 800)],
    ["of as many characters as may be", () => padded(10_000, 100)],
    [
      "of a Set that would be counted through for each value in it",
      () => {
        const { json, meta } = times(9_999, (index) => `a.${index}`);
        return { json: { a: json }, meta: { values: { a: ["set"], ...meta.values }, v: 1 } };
      },
    ],
    [
      "of a bigint of 8 MiB",
      () => ({ json: { a: "9".repeat(2 ** 23) }, meta: { values: { a: ["bigint"] }, v: 1 } }),
    ],
  ])("is read or refused at once: one %s", (_name, build) => {
    const sent = build();
    const before = process.threadCpuUsage();
    refused(sent);
    const { user, system } = process.threadCpuUsage(before);
    // Time of the processor, of which a busy machine takes nothing. What this keeps out takes seconds.
    expect((user + system) / 1000).toBeLessThan(500);
  });
});
