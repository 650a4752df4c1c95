import type { Action } from "parley-client";
import { expect, test } from "vitest";
import { partsOf } from "./answer-parts.ts";

const call = (sId: string, step: number) => ({ sId, step }) as Action;

test("puts the calls of each step after its text", () => {
  const rawContents = [
    { step: 0, content: "I check. " },
    { step: 2, content: "Done" },
  ];
  const [a, b] = [call("a", 0), call("b", 1)];
  expect(partsOf({ content: "I check. Done", rawContents, actions: [b, a] })).toEqual([
    { step: 0, text: "I check. ", actions: [a] },
    { step: 1, text: "", actions: [b] },
    { step: 2, text: "Done", actions: [] },
  ]);
});

test("shows the whole text if its steps are not known", () => {
  expect(partsOf({ content: "All", rawContents: [], actions: [call("a", 1)] })).toEqual([
    { step: 0, text: "All", actions: [] },
    { step: 1, text: "", actions: [call("a", 1)] },
  ]);
});
