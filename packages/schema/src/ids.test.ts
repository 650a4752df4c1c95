import { describe, expect, it } from "vitest";
import { newId, randomBase62 } from "./ids.ts";

describe("ids", () => {
  it("have ten characters of A-Z, a-z and 0-9, after a prefix if the kind has one", () => {
    expect(newId()).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(newId("sfi")).toMatch(/^sfi_[A-Za-z0-9]{10}$/);
  });

  it("do not come twice", () => {
    const count = 10_000;
    expect(new Set(Array.from({ length: count }, () => newId())).size).toBe(count);
  });

  it.each([0, 1, 10, 40, 1000])("are made of %d random characters", (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[A-Za-z0-9]{${length}}$`));
  });

  it("favour no character", () => {
    const counts = Map.groupBy(randomBase62(62_000), (character) => character);
    expect(counts.size).toBe(62);
    // A thousand of each are expected; eight standard deviations do not happen.
    for (const { length } of counts.values()) expect(Math.abs(length - 1000)).toBeLessThan(255);
  });
});
