import { expect, test } from "vitest";
import { describeTarget, meetsTarget } from "./targets.ts";

test.each([
  [{ atLeast: 0.9 }, 0.9, true],
  [{ atLeast: 0.9 }, 0.89, false],
  [{ atMost: 2 }, 2, true],
  [{ atMost: 2 }, 2.01, false],
  [{ below: 200 }, 199.9, true],
  [{ below: 200 }, 200, false],
  [{ atMost: 2 }, Number.NaN, false],
  [{ atLeast: 0 }, Number.NaN, false],
])("%o of %d: %o", (target, value, isMet) => {
  expect(meetsTarget(value, target)).toBe(isMet);
});

test("a target is described by its bound", () => {
  expect([{ atLeast: 0.9 }, { atMost: 2 }, { below: 200 }, {}].map(describeTarget)).toEqual([
    "at least 0.9",
    "at most 2",
    "below 200",
    "",
  ]);
});
