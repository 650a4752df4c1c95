import { expect, it } from "vitest";
import { transformer } from "./transformer.ts";

const at = new Date(0);

it("sends each kind of value as superjson writes it, and reads it", () => {
  const input = { at, big: 12n, map: new Map([[1, new Set([at])]]), left: undefined, a: [1, "x"] };
  const sent = transformer.serialize(input);
  expect(Object.keys(sent.meta ?? {}).toSorted()).toEqual(["v", "values"]);
  expect(transformer.deserialize(JSON.parse(JSON.stringify(sent)))).toStrictEqual(input);
  expect(transformer.serialize({ a: 1 })).toStrictEqual({ json: { a: 1 } });
});

it("sends what stands in several places in each of them", () => {
  const shared = { b: 1 };
  expect(transformer.serialize([shared, { shared }])).toStrictEqual({
    json: [{ b: 1 }, { shared: { b: 1 } }],
  });
  const sent = transformer.serialize({ one: at, two: at, three: [2n, 2n] });
  expect(transformer.deserialize(JSON.parse(JSON.stringify(sent)))).toStrictEqual({
    one: at,
    two: at,
    three: [2n, 2n],
  });
});

const root: unknown[] = [];
root.push([root]);
const inside: Record<string, unknown> = {};
inside["a.b"] = { c: [inside] };
const map = new Map<string, unknown>();
map.set("x", { map });

it.each([
  ["a list", root],
  ["a member", { of: [1, inside] }],
  ["a Map", { map }],
  ["one that is shared before", { z: { deep: { deeper: inside } }, a: inside }],
])("refuses what holds itself: %s", (_name, input) => {
  expect(() => transformer.serialize(input)).toThrow("an input must not contain itself");
});

it.each<[string, unknown, string]>([
  ["a page", "<html>", "the answer is not superjson"],
  ["nothing", undefined, "the answer is not superjson"],
  ["other JSON", { result: 1 }, "the answer is not superjson"],
  [
    "a pollution of all objects",
    { json: { a: {} }, meta: { values: { "a.__proto__.x": ["undefined"] }, v: 1 } },
    "the answer.a meta.values must not name __proto__",
  ],
  [
    "a pollution by equalities",
    { json: { a: 1 }, meta: { referentialEqualities: { a: ["constructor.prototype.x"] } } },
    "the answer meta must have no referentialEqualities: each place has its own value",
  ],
  [
    "an expression",
    { json: ["/(x+)+$/"], meta: { values: { "0": ["regexp"] } } },
    "the answer.0 must be JSON, a Date, bigint, Map, Set or undefined, and not regexp",
  ],
])("refuses an answer that is %s", (_name, sent, message) => {
  expect(() => transformer.deserialize(sent)).toThrow(new TypeError(message));
  expect(Object.keys(Object.prototype)).toEqual([]);
});
