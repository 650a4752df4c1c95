import fc from "fast-check";
import { expect, it } from "vitest";
import { joinSurrogates } from "./run-step.ts";

it("loses nothing and splits no character, whatever the pieces", () => {
  const units = fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "\u{1F600}"));
  fc.assert(
    fc.property(fc.array(units), (pieces) => {
      const texts = pieces.map((piece) => piece.join(""));
      const joiner = joinSurrogates();
      const given = texts.map((text) => joiner.push(text));
      const whole = texts.join("");
      expect(given.join("") + joiner.flush()).toBe(whole);
      // Joined and made well-formed piece by piece, it equals the whole text.
      const published = given.map((text) => text.toWellFormed()).join("");
      expect(whole.toWellFormed().startsWith(published)).toBe(true);
      expect(joiner.flush()).toBe("");
    }),
  );
});
