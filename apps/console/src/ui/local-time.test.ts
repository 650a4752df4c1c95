import { expect, test } from "vitest";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

test.for([Date.UTC(2026, 0, 31, 23, 59), Date.UTC(2026, 6, 1)])("keeps the minute of %d", (ms) => {
  expect(toLocalInput(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  expect(fromLocalInput(toLocalInput(ms))).toBe(ms);
});

test("an empty field is not a moment", () => {
  expect(fromLocalInput("")).toBeUndefined();
});
