import type { MessageEvent } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { createResponseCodec } from "./response-codec.ts";

const place = { conversationId: "a".repeat(10), messageId: "b".repeat(10) };
const shared = { created: 1000, configurationId: "helper", messageId: place.messageId };
const tokens = (text: string, step: number, classification = "tokens") =>
  ({ type: "generation_tokens", ...shared, step, text, classification }) as MessageEvent;
const called = (sId: string, step: number) =>
  ({
    type: "tool_params",
    ...shared,
    step,
    action: { sId, status: "blocked_client_output_required", toolName: "find", params: {} },
  }) as unknown as MessageEvent;
const waits = (actionId: string, step: number, isLastBlockingEventForStep = true) =>
  ({
    type: "tool_output_required",
    ...shared,
    step,
    actionId,
    inputs: { city: "Oslo" },
    functionName: "find",
    isLastBlockingEventForStep,
  }) as unknown as MessageEvent;
const done = (sId: string, step: number) =>
  ({
    type: "agent_action_success",
    ...shared,
    step,
    action: { sId, status: "succeeded", output: [{ type: "text", text: "Rain" }] },
  }) as unknown as MessageEvent;
const success = (step: number, finishReason = "stop") =>
  ({
    type: "agent_message_success",
    ...shared,
    step,
    message: { finishReason },
  }) as unknown as MessageEvent;

const answer = [
  tokens("Hm", 0, "chain_of_thought"),
  tokens("Let me ", 0),
  tokens("see", 0),
  called("act_1", 0),
  waits("act_1", 0, false),
  called("act_2", 0),
  waits("act_2", 0),
  done("act_1", 0),
  done("act_2", 0),
  tokens("It rains", 1),
  success(1),
];

function play(segment: number | "all", events: readonly MessageEvent[] = answer) {
  const codec = createResponseCodec({ ...place, segment });
  const frames = [...(codec.begin?.() ?? [])];
  for (const [index, event] of events.entries()) {
    if (codec.isEnded) break;
    frames.push(...codec.encode(event, index + 1));
  }
  if (codec.isEnded) frames.push(...codec.end({}));
  return { codec, frames: frames.map(({ data }) => JSON.parse(data) as Record<string, unknown>) };
}

describe("the responses of an answer", () => {
  it("end where it waits for its caller, and begin after that", () => {
    const first = play(0);
    expect(first.codec.output().map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    expect(first.codec.state()).toMatchObject({
      status: "completed",
      steps: { first: 0, last: 0 },
    });
    expect(first.codec.waiting()).toEqual(["act_1", "act_2"]);
    const second = play(1);
    expect(second.codec.output()).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: "It rains" }] },
    ]);
    expect(second.codec.state()).toMatchObject({ status: "completed" });
    const ids = [...first.codec.output(), ...second.codec.output()].map(({ id }) => id);
    expect(ids).toEqual(
      play("all")
        .codec.output()
        .map(({ id }) => id),
    );
  });

  it.each([
    ["length", { status: "incomplete", incompleteReason: "max_output_tokens" }],
    ["content_filter", { status: "incomplete", incompleteReason: "content_filter" }],
    ["stop", { status: "completed" }],
  ])("that stops by %s ends as %j", (finishReason, state) => {
    expect(play(0, [tokens("x", 0), success(0, finishReason)]).codec.state()).toMatchObject(state);
  });

  it.each([[["It rains"]], [["It ", "rains"]], [["It", " rains", " é", "😀"]]])(
    "number their events from 0, without a gap, with the text in the pieces %j",
    (pieces) => {
      const { frames, codec } = play(0, [...pieces.map((text) => tokens(text, 0)), success(0)]);
      expect(frames.map((frame) => frame["sequence_number"])).toEqual(frames.map((_, at) => at));
      expect(codec.output()).toMatchObject([{ content: [{ text: pieces.join("") }] }]);
    },
  );

  it("are in progress until then", () => {
    for (let count = 0; count < 7; count++) {
      expect(play(0, answer.slice(0, count)).codec.isEnded).toBe(false);
    }
    expect(play(1, answer.slice(0, 10)).codec.isEnded).toBe(false);
  });
});
