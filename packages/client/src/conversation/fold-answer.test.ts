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

const shared = { step: 0, messageId: "a", actionId: "act_1" };
const event = (type: string, more: object = {}) => ({ type, ...shared, ...more }) as MessageEvent;
const begins = event("tool_params", {
  action: { sId: "act_1", status: "blocked_validation_required" },
});

test("shows that an approved call of a personal tool waits for its user's permission", () => {
  const events = [begins, event("tool_approve_execution"), event("tool_personal_auth_required")];
  let answer = beginAnswer(message);
  for (const [index, one] of events.entries()) answer = foldEvent(answer, one, `${index + 1}`);
  expect(answer.message.actions).toEqual([
    { sId: "act_1", status: "blocked_authentication_required" },
  ]);
  expect(answer.approvals).toEqual([]);
  expect(answer.permissions).toMatchObject([{ actionId: "act_1" }]);
  const action = { sId: "act_1", status: "succeeded" };
  const ended = foldEvent(answer, event("agent_action_success", { action }), "4");
  expect(ended).toMatchObject({ permissions: [], message: { actions: [action] } });
});

test("shows what a task waits for until that is decided, or the task has ended", () => {
  const waits = event("tool_approve_execution", {
    actionId: "act_2",
    path: [{ messageId: "a", actionId: "act_1", step: 0 }],
  });
  const waiting = foldEvent(foldEvent(beginAnswer(message), begins, "1"), waits, "2");
  expect(waiting.approvals).toMatchObject([{ actionId: "act_2" }]);
  const decided = event("agent_task_call_decided", { actionId: "act_2", status: "running" });
  expect(foldEvent(waiting, decided, "3").approvals).toEqual([]);
  const action = { sId: "act_1", status: "errored" };
  expect(foldEvent(waiting, event("agent_action_success", { action }), "3").approvals).toEqual([]);
});

test("skips an event of the future", () => {
  const answer = foldEvent(beginAnswer(message), begins, "1");
  expect(foldEvent(answer, event("tool_of_the_future"), "2")).toEqual({
    ...answer,
    lastEventId: "2",
  });
});
