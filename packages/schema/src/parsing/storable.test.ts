import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStorable, toStorableJson } from "./text.ts";

const wide = "\u{1F600}";

describe("text that is made storable", () => {
  it.each([
    ["a\u0000\u0000b", "ab"],
    ["a\uD83D", "a\uFFFD"],
    [`a${wide}`, `a${wide}`],
  ])("makes %j storable as %j", (value, stored) => {
    expect(toStorable(value)).toBe(stored);
  });

  it("makes every text and name of a JSON value storable, and changes nothing else", () => {
    const dirty = { "k\u0000": [1, null, true, "\uD800", { x: "\u0000" }], y: "fine" };
    expect(toStorableJson(dirty)).toEqual({ k: [1, null, true, "\uFFFD", { x: "" }], y: "fine" });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme-ascii" }), (value) => {
        expect(toStorableJson(value)).toEqual(value);
      }),
    );
  });
});
