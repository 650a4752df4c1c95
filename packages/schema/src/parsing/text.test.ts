import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { SearchNodes } from "../knowledge/searches.ts";
import {
  fromQuery,
  isStorable,
  optional,
  Reference,
  ShortText,
  text,
  textOfBytes,
} from "./text.ts";

const wide = "\u{1F600}";

describe("storable text", () => {
  it.each([
    ["", true],
    ["plain \u0001 \uFFFD \u2028", true],
    [wide, true],
    ["a\u0000b", false],
    ["\uD83D", false],
    ["\uDE00\uD83D", false],
  ])("%j is storable: %s", (value, storable) => {
    expect(isStorable(value)).toBe(storable);
    expect(text(20).safeParse(value).success).toBe(storable);
  });
});

describe("bounds", () => {
  it.each([
    ["text(3)", text(3), "abc", "abcd"],
    ["text(2) of a wide character", text(2), wide, `${wide}a`],
    ["text(3, 1)", text(3, 1), "a", ""],
    ["a reference", Reference, "a".repeat(255), "a".repeat(256)],
    ["an empty reference", Reference, "a", ""],
    ["a short text", ShortText, "", "a".repeat(256)],
    ["bytes", textOfBytes(4), "abcd", "abcde"],
    ["bytes of wide characters", textOfBytes(8), `${wide}${wide}`, `${wide}${wide}a`],
    ["bytes of umlauts", textOfBytes(4), "üü", "üüü"],
    ["bytes, none", textOfBytes(4), "a", ""],
  ])("%s takes what just fits and refuses what just does not", (_name, schema, fits, over) => {
    expect(schema.safeParse(fits)).toMatchObject({ success: true, data: fits });
    expect(schema.safeParse(over).success).toBe(false);
  });

  it("counts the bytes that UTF-8 needs, for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(40), (value, max) => {
        const fits = Buffer.byteLength(value) <= max;
        expect(textOfBytes(max).safeParse(value).success).toBe(fits);
      }),
    );
  });
});

describe("an optional member", () => {
  it.each([null, undefined])("that is %s is absent", (value) => {
    expect(optional(ShortText).parse(value)).toBeUndefined();
  });

  it("keeps a value that is falsy", () => {
    expect(optional(ShortText).parse("")).toBe("");
  });
});

it("a number of a query that is none is named as that", () => {
  const limit = fromQuery(z.int().min(1));
  expect(limit.parse("7")).toBe(7);
  expect(limit.safeParse("x").error?.issues).toMatchObject([{ message: "must be a number" }]);
  expect(limit.safeParse("0").success).toBe(false);
});

it.each([5, "5", " 5 "])("a number of a query is one, or its text: %j", (value) => {
  expect(fromQuery(z.int()).parse(value)).toBe(5);
});

it.each([true, null, "", " ", "five", [5], Number.NaN, undefined])(
  "nothing else is a number of a query: %j",
  (value) => {
    expect(fromQuery(z.int()).safeParse(value).error?.issues).toMatchObject([
      { message: "must be a number" },
    ]);
  },
);

it("a number of a body is no text", () => {
  const search = { query: "opening", limit: 5 };
  expect(SearchNodes.parse(search).limit).toBe(5);
  for (const limit of ["5", true]) {
    expect(SearchNodes.safeParse({ ...search, limit }).success).toBe(false);
  }
});
