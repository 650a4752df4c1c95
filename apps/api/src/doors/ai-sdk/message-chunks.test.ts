import type { MessageEvent } from "@parley/schema";
import { isToolUIPart, readUIMessageStream, type UIMessage, uiMessageChunkSchema } from "ai";
import { expect, test } from "vitest";
import type { Chunk } from "./call-chunks.ts";
import { createChunkEncoder, pauseChunk } from "./message-chunks.ts";

// Events as logs have them, without the members that no chunk is made of.
const event = (type: MessageEvent["type"], step: number, rest: object) =>
  ({ type, step, ...rest }) as MessageEvent;
const says = (text: string, step = 0, classification = "tokens") =>
  event("generation_tokens", step, { text, classification });
const thinks = (text: string) => says(text, 0, "chain_of_thought");
const calls = (sId: string, step = 0) =>
  event("tool_params", step, { action: { sId, toolName: "buy", params: { order: sId } } });
const asks = (type: MessageEvent["type"], actionId: string, isLastBlockingEventForStep = true) =>
  event(type, 0, {
    actionId,
    isLastBlockingEventForStep,
    metadata: { mcpServerId: "msv_1", toolName: "buy" },
    authError: { message: "Allow it" },
  });
const approval = (actionId: string, isLast = true) =>
  asks("tool_approve_execution", actionId, isLast);
const question = (actionId: string, isLast = true) =>
  asks("tool_ask_user_question", actionId, isLast);
const permission = (actionId: string, isLast = true) =>
  asks("tool_personal_auth_required", actionId, isLast);
const ends = (sId: string, status = "succeeded", text = "bought") =>
  event("agent_action_success", 0, {
    action: { sId, status, output: [{ type: "text", text }] },
  });
const success = (step = 0, message: object = {}) =>
  event("agent_message_success", step, { message });
const failure = event("agent_error", 0, { error: { message: "Out of order" } });
const cancelled = event("agent_generation_cancelled", 0, {});

const answer = { conversationId: "Kd82jXq0Pz", messageId: "Vn4tR9sWy1" };

/** The chunks of events, each checked by the SDK's own schema, and what they ask for in the end. */
async function encodeAll(events: readonly MessageEvent[], after = 0) {
  const { begin, encode, undecided } = createChunkEncoder(answer);
  const encoded = [begin(), ...events.map((one, index) => encode(one, index + 1))];
  const chunks = encoded.slice(after === 0 ? 0 : after + 1).flat();
  const { validate } = uiMessageChunkSchema();
  for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true });
  return { chunks, undecided: undecided() };
}

/** The message that a page makes of chunks, which may continue one that it has. */
async function readMessage(chunks: readonly Chunk[], message?: UIMessage): Promise<UIMessage> {
  const left = chunks.values();
  const stream = new ReadableStream<Chunk>({
    pull: (controller) => {
      const { done, value } = left.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  let last = message;
  for await (const read of readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(message && { message }),
  })) {
    last = read;
  }
  return last!;
}

test("text, reasoning and calls are parts of the steps that they are of", async () => {
  const { chunks } = await encodeAll([
    thinks("Hm"),
    thinks("m"),
    says("One "),
    says("moment"),
    calls("a"),
    ends("a"),
    says("Done", 1),
    success(1, { structuredOutput: { n: 1 }, finishReason: "length" }),
  ]);
  const types = chunks.map(({ type }) => type).join(" ");
  expect(types).toBe(
    "start start-step reasoning-start reasoning-delta reasoning-delta reasoning-end text-start text-delta text-delta text-end " +
      "tool-input-available tool-output-available finish-step start-step " +
      "text-start text-delta text-end data-structured-output finish-step finish",
  );
  expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: "length" });
  expect(await readMessage(chunks)).toMatchObject({
    id: answer.messageId,
    metadata: { conversationId: answer.conversationId },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Hmm", state: "done" },
      { type: "text", text: "One moment", state: "done" },
      { type: "dynamic-tool", state: "output-available", input: { order: "a" } },
      { type: "step-start" },
      { type: "text", text: "Done" },
      { type: "data-structured-output", data: { n: 1 } },
    ],
  });
});

test.for<[string, MessageEvent[], Chunk]>([
  ["fails", [says("I"), failure], { type: "error", errorText: "Out of order" }],
  ["is cancelled", [says("I"), cancelled], { type: "abort", reason: "The answer was cancelled" }],
  [
    "is cancelled while it asks",
    [calls("a"), approval("a"), cancelled],
    { type: "abort", reason: "The answer was cancelled" },
  ],
  [
    "has a call that failed",
    [calls("a"), ends("a", "errored", "No money")],
    { type: "tool-output-error", toolCallId: "a", errorText: "No money" },
  ],
])("an answer that %s says so last, and asks for nothing", async ([, events, last]) => {
  const { chunks, undecided } = await encodeAll(events);
  expect(chunks.at(-1)).toEqual(last);
  expect(undecided).toEqual([]);
});

test.for<[string, MessageEvent[], string[]]>([
  ["a call that waits", [approval("a")], ["a"]],
  ["the first of two", [approval("a", false)], []],
  ["both of two", [approval("a", false), approval("b")], ["a", "b"]],
  ["the one that is left", [approval("a", false), approval("b"), ends("a")], ["b"]],
  ["none that has its result", [approval("a"), ends("a", "denied")], []],
  ["none beside a question", [approval("a", false), question("b")], []],
  ["one once the question is answered", [approval("a", false), question("b"), ends("b")], ["a"]],
  ["none that waits for permission alone", [permission("a")], []],
  ["one that needs permission beside", [approval("a", false), permission("b")], ["a", "b"]],
  ["none that turned out to need permission", [approval("a"), permission("a")], []],
])("the chunks ask about %s", async ([, events, asked]) => {
  const { chunks, undecided } = await encodeAll([calls("a"), calls("b"), ...events]);
  expect(undecided).toEqual(asked);
  const requests = chunks.filter(({ type }) => type === "tool-approval-request");
  expect(new Set(requests.map((chunk) => "approvalId" in chunk && chunk.approvalId)).size).toBe(
    requests.length,
  );
});

test.for([
  { approved: true, status: "succeeded", state: "output-available" },
  { approved: false, status: "denied", state: "output-denied" },
])(
  "a replay past the decision $approved is the message of a page that has made it",
  async (one) => {
    const { approved, status, state } = one;
    const before = [says("One "), calls("a"), approval("a")];
    const events = [...before, ends("a", status), says("Done", 1), success(1)];
    const asked = await readMessage([...(await encodeAll(before)).chunks, pauseChunk]);
    expect(asked.parts.at(-1)).toMatchObject({
      state: "approval-requested",
      approval: { id: "a" },
    });
    // As `addToolApprovalResponse` of a chat does it.
    const responded = {
      ...asked,
      parts: asked.parts.map((part) =>
        isToolUIPart(part)
          ? { ...part, state: "approval-responded", approval: { id: "a", approved } }
          : part,
      ),
    } as UIMessage;
    const continued = await readMessage((await encodeAll(events, before.length)).chunks, responded);
    const replayed = await readMessage((await encodeAll(events)).chunks);
    expect(replayed).toEqual(continued);
    expect(replayed.parts).toContainEqual(expect.objectContaining({ state }));
  },
);

test("a call of the page's own tool waits for its output, and has it as the page had it", async () => {
  const action = { sId: "a", toolName: "look", params: {} };
  const called = [
    event("tool_params", 0, { action: { ...action, status: "blocked_client_output_required" } }),
    event("tool_output_required", 0, { actionId: "a", isLastBlockingEventForStep: true }),
  ];
  const asked = await encodeAll([says("Hm"), ...called]);
  expect(asked.undecided).toEqual(["a"]);
  expect(asked.chunks.at(-1)).toEqual({
    type: "tool-input-available",
    toolCallId: "a",
    toolName: "look",
    input: {},
  });
  const log = [says("Hm"), ...called, ends("a", "succeeded", '{"sky":"blue"}'), success(1)];
  const { chunks, undecided } = await encodeAll(log);
  expect(undecided).toEqual([]);
  expect((await readMessage(chunks)).parts.filter(isToolUIPart)).toMatchObject([
    { type: "tool-look", state: "output-available", output: { sky: "blue" } },
  ]);
});

test("a page's call is sent back only after the decisions of its step can be", async () => {
  const action = { sId: "a", toolName: "look", params: {} };
  const log = [
    event("tool_params", 0, { action: { ...action, status: "blocked_client_output_required" } }),
    calls("b"),
    event("tool_output_required", 0, { actionId: "a", isLastBlockingEventForStep: false }),
    approval("b"),
  ];
  const first = await encodeAll(log.slice(0, 3));
  expect(first.undecided).toEqual([]);
  const { chunks, undecided } = await encodeAll(log);
  expect(undecided).toEqual(["a", "b"]);
  expect(chunks.filter(({ type }) => type === "tool-approval-request")).toHaveLength(1);
});
