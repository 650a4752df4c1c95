import type { MessageEvent } from "@parley/schema";
import { expect, test } from "vitest";
import type { Follower } from "../follow.ts";
import { answerChunks } from "./answer-chunks.ts";

const call = (actionId: string) =>
  ({ type: "tool_params", step: 0, action: { sId: actionId, toolName: "buy" } }) as MessageEvent;
const asks = (type: string, actionId: string, isLastBlockingEventForStep: boolean) =>
  ({
    type,
    step: 0,
    actionId,
    isLastBlockingEventForStep,
    metadata: { mcpServerId: "msv_1", toolName: "buy" },
    authError: { message: "Allow it" },
  }) as MessageEvent;
const done = (actionId: string) =>
  ({
    type: "agent_action_success",
    step: 0,
    action: { sId: actionId, status: "succeeded", output: [] },
  }) as unknown as MessageEvent;
const success = { type: "agent_message_success", step: 0, message: {} } as MessageEvent;

async function readChunks(events: readonly MessageEvent[]) {
  let read = 0;
  const follower = {
    get lastEventId() {
      return String(read);
    },
    async *[Symbol.asyncIterator]() {
      for (const event of events) {
        read++;
        yield event;
      }
    },
  } as unknown as Follower<MessageEvent>;
  const chunks = answerChunks(follower, {
    conversationId: "c",
    messageId: "m",
    continueAfter: undefined,
    stillWaiting: async (calls) => calls,
  });
  return Array.fromAsync(chunks);
}

async function chunksOf(events: readonly MessageEvent[]) {
  const given = await readChunks(events);
  return given.map((chunk) =>
    chunk.type === "tool-approval-request" ? `${chunk.type} ${chunk.toolCallId}` : chunk.type,
  );
}

const begun = ["start", "start-step", "tool-input-available"];

test.each([
  [
    "an approval alone",
    [call("a"), asks("tool_approve_execution", "a", true)],
    [...begun, "tool-approval-request a", "finish"],
  ],
  [
    "an approval, and then a permission",
    [
      call("a"),
      call("b"),
      asks("tool_approve_execution", "a", false),
      asks("tool_personal_auth_required", "b", true),
    ],
    // A chat sends decisions only if no call of the step is without one.
    [
      ...begun,
      "tool-input-available",
      "data-permission",
      "tool-approval-request a",
      "tool-approval-request b",
      "finish",
    ],
  ],
  [
    "a permission, and then an approval",
    [
      call("a"),
      call("b"),
      asks("tool_personal_auth_required", "b", false),
      asks("tool_approve_execution", "a", true),
    ],
    [
      ...begun,
      "tool-input-available",
      "data-permission",
      "tool-approval-request b",
      "tool-approval-request a",
      "finish",
    ],
  ],
  [
    "a permission alone, which is given meanwhile",
    [call("b"), asks("tool_personal_auth_required", "b", true), done("b"), success],
    [...begun, "data-permission", "tool-output-available", "finish-step", "finish"],
  ],
  [
    "an event of the future",
    [
      call("a"),
      { type: "tool_of_the_future", step: 0 } as unknown as MessageEvent,
      done("a"),
      success,
    ],
    [...begun, "tool-output-available", "finish-step", "finish"],
  ],
])("a chat is given %s", async (_name, events, expected) => {
  expect(await chunksOf(events)).toEqual(expected);
});

test.each([{ city: "Oslo" }, null, 0])(
  "a chat is given the value %j of an answer",
  async (value) => {
    const message = { structuredOutput: value };
    const chunks = await readChunks([{ ...success, message } as unknown as MessageEvent]);
    expect(chunks.slice(2)).toMatchObject([
      { type: "data-structured-output", data: value },
      { type: "finish-step" },
      { type: "finish" },
    ]);
  },
);
