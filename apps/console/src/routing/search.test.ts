import { expect, test } from "vitest";
import { flagOf, oneOf, parseSearch, stringifySearch, textOf, textsOf } from "./search.ts";

test.for([
  ["?after=123", { after: "123" }],
  ["?agent=a&agent=b&q=x%20y", { agent: ["a", "b"], q: "x y" }],
  ["", {}],
] as const)("reads %s as texts, and writes it", ([query, search]) => {
  expect(parseSearch(query)).toEqual(search);
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test("omits empty values", () => {
  expect(stringifySearch({ a: undefined, b: "", c: false, d: null, e: true })).toBe("?e=true");
  expect(stringifySearch({ a: undefined })).toBe("");
});

test("takes only known values from a query", () => {
  const search = parseSearch("?view=timeline&agent=a&ended=true&q=");
  expect(oneOf(search, "view", ["talk", "timeline"])).toBe("timeline");
  expect(oneOf(search, "view", ["talk"])).toBeUndefined();
  expect(textsOf(search, "agent")).toEqual(["a"]);
  expect(textsOf(search, "other")).toBeUndefined();
  expect(flagOf(search, "ended")).toBe(true);
  expect(flagOf(search, "agent")).toBeUndefined();
  expect(textOf(search, "q")).toBeUndefined();
});
