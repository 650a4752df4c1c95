import { expect, test } from "vitest";
import { parseEndedMs } from "./process-family.ts";

test("the time of ended children is read after a name with spaces", () => {
  const stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 120 340 0 0 7 8 25 17 20 0 1 0 99";
  expect(parseEndedMs(stat)).toBe(420);
});

test("a process that is gone has no ended children", () => {
  expect(parseEndedMs("")).toBe(0);
});
