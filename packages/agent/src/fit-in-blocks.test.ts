import fc from "fast-check";
import { expect, it } from "vitest";
import { fitInBlocks } from "./fit-in-blocks.ts";

it("keeps all that fits, or else no more than that and at least three quarters of it", () => {
  const texts = fc.array(fc.string(), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.nat(80), (given, fits) => {
      const kept = fitInBlocks(given, fits);
      expect(kept).toBeLessThanOrEqual(Math.min(fits, given.length));
      expect(kept).toBeGreaterThanOrEqual(Math.min(Math.floor(fits * 0.75), given.length));
    }),
  );
});

it("begins with the same message for many turns, wherever the conversation was cut before", () => {
  const texts = Array.from({ length: 600 }, (_, index) => (index % 3 === 0 ? "ok" : `${index}`));
  const beginnings = new Set<number>();
  for (let length = 101; length <= 600; length++) {
    const kept = fitInBlocks(texts.slice(0, length), 100);
    beginnings.add(length - kept);
    // The oldest were not even loaded.
    expect(fitInBlocks(texts.slice(length - 101, length), 100)).toBe(kept);
  }
  // 500 without blocks.
  expect(beginnings.size).toBeLessThan(60);
});
