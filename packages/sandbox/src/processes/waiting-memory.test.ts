import { expect, it } from "vitest";
import { chooseEnded } from "./waiting-memory.ts";

const rests = (workspaceId: number, since: number, bytes: number) => ({
  workspaceId,
  since,
  bytes,
});
/** 55 bytes of one workspace, 35 of another. */
const resting = [
  rests(1, 3, 15),
  rests(1, 1, 20),
  rests(1, 2, 20),
  rests(2, 5, 30),
  rests(2, 4, 5),
];

it.each([
  ["none where there is room", 90, []],
  ["the one that waited longest, of the largest holder", 89, [1]],
  ["as many as it takes", 69, [1, 2]],
  ["that of another workspace when it has become the largest", 49, [1, 2, 4]],
  ["all where nothing may be held", 0, [1, 2, 4, 5, 3]],
])("ends %s", (_name, maxBytes, ended) => {
  expect(chooseEnded(resting, maxBytes).map(({ since }) => since)).toEqual(ended);
});
