import type { MessageEvent } from "@parley/schema";
import { expect, test } from "vitest";
import { beginReading, readEvent } from "./answers.ts";

const metadata = { toolName: "find", mcpServerDisplayName: "shop" };
const event = (type: string, more: object = {}) => ({ type, metadata, ...more }) as MessageEvent;
const asks = (type: string, actionId: string) =>
  event(type, { actionId, question: { question: "Which size?" } });
const read = (...events: MessageEvent[]) => events.reduce(readEvent, beginReading("m"));

test.each([
  ["tool_approve_execution", "the approval of a call of find"],
  ["tool_ask_user_question", "the answer to: Which size?"],
  ["tool_personal_auth_required", "the user to authorize the tool shop"],
])("an answer waits for a person after %s", (type, expected) => {
  const asked = read(asks(type, "act_1"));
  expect([...asked.waiting.values()]).toEqual([expected]);
  const ended = readEvent(asked, event("agent_action_success", { action: { sId: "act_1" } }));
  expect(ended.waiting.size).toBe(0);
});

test("a call that ends leaves another waiting", () => {
  const both = [
    asks("tool_approve_execution", "act_1"),
    asks("tool_personal_auth_required", "act_2"),
  ];
  const left = read(...both, event("agent_action_success", { action: { sId: "act_1" } }));
  expect([...left.waiting.keys()]).toEqual(["act_2"]);
});

test("an approved call of a personal tool waits for its user instead", () => {
  const events = ["tool_approve_execution", "tool_personal_auth_required"].map((type) =>
    asks(type, "act_1"),
  );
  expect([...read(...events).waiting.values()]).toEqual(["the user to authorize the tool shop"]);
});

test("skips an event of the future", () => {
  const before = read(asks("tool_approve_execution", "act_1"));
  expect(readEvent(before, event("tool_of_the_future"))).toEqual(before);
});
