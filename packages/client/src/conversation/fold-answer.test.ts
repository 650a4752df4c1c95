import type { AgentMessage, MessageEvent } from "@parley/schema";
import { expect, test } from "vitest";
import { beginAnswer, foldEvent } from "./fold-answer.ts";

// What folding reads of a message and of its events.
const message = {
  sId: "a",
  content: "old",
  rawContents: [],
  actions: [],
} as unknown as AgentMessage;
const tokens = (step: number, text: string) =>
  ({ type: "generation_tokens", classification: "tokens", step, text }) as MessageEvent;

test("keeps the text of each step apart while an answer is written", () => {
  const events = [tokens(0, "I "), tokens(0, "check. "), tokens(2, "Done")];
  let answer = beginAnswer(message);
  for (const [index, event] of events.entries()) answer = foldEvent(answer, event, `${index + 1}`);
  expect(answer.message).toMatchObject({
    content: "I check. Done",
    rawContents: [
      { step: 0, content: "I check. " },
      { step: 2, content: "Done" },
    ],
  });
  expect(answer.lastEventId).toBe("3");
});
