import { describe, expect, it } from "vitest";
import { isConflict } from "./unavailable.ts";

const coded = (code: unknown) => Object.assign(new Error("broken"), { code });

describe("isConflict", () => {
  it.each([
    ["a deadlock", coded("40P01"), true],
    ["a serialization failure", coded("40001"), true],
    ["one behind another error", new Error("Failed query", { cause: coded("40P01") }), true],
    ["a unique violation", coded("23505"), false],
    ["a code that is no text", coded(40_001), false],
    ["any other error", new Error("broken"), false],
    ["a text", "40P01", false],
  ])("knows whether %s is one: %s", (_name, error, conflict) => {
    expect(isConflict(error)).toBe(conflict);
  });
});
