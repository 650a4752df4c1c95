import { expect, test } from "vitest";
import { partOfRound } from "./plan.ts";

test.each([
  [0, 1, [0, 1]],
  [1, 1, [2, 3]],
  [2, 1, [4, 0]],
  [3, 1, [1, 2]],
  [1, 4, [2, 3, 4, 0]],
  [1, 9, [2, 3, 4, 0, 1]],
])("round %d of three with at least %d gets %j", (round, atLeast, expected) => {
  expect(partOfRound([0, 1, 2, 3, 4], { round, rounds: 3, atLeast })).toEqual(expected);
});
