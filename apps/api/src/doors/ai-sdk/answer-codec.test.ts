import type { MessageEvent } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { createAnswerCodec } from "./answer-codec.ts";

const event = (type: MessageEvent["type"], rest: object) =>
  ({ type, step: 0, ...rest }) as MessageEvent;
const call = (sId: string) =>
  event("tool_params", { action: { sId, toolName: "buy", params: {} } });
const asks = (actionId: string, isLastBlockingEventForStep = true) =>
  event("tool_approve_execution", { actionId, isLastBlockingEventForStep });
const ends = (sId: string) =>
  event("agent_action_success", { action: { sId, status: "succeeded", output: [] } });
const success = event("agent_message_success", { message: {} });

interface Reading {
  readonly waiting?: readonly string[];
  readonly lastSeq?: number;
  readonly last?: { seq: number; index: number };
  readonly decided?: readonly string[];
}

/** The types of the chunks that a client is sent, up to where the stream ends. */
function read(events: readonly MessageEvent[], options: Reading = {}): string[] {
  const { waiting = [], lastSeq = 0, last, decided } = options;
  const codec = createAnswerCodec({
    conversationId: "c",
    messageId: "m",
    waiting: { actionIds: new Set(waiting), lastSeq },
    last,
    decided: decided && new Set(decided),
  });
  const sent: string[] = [];
  let count = 0;
  const add = (frames: readonly { data: string }[], seq: number) => {
    for (const [index, { data }] of frames.entries()) {
      if (codec.isKnown({ seq, index, count: count++ })) continue;
      sent.push(data === "[DONE]" ? data : (JSON.parse(data) as { type: string }).type);
    }
  };
  add(codec.begin?.() ?? [], 0);
  for (const [index, one] of events.entries()) {
    if (codec.isEnded) break;
    add(codec.encode(one, index + 1), index + 1);
  }
  return [...sent, codec.isEnded ? "end" : "open"];
}

const start = ["start", "start-step", "tool-input-available"];
const asked = [...start, "tool-approval-request"];
const paused = ["finish", "[DONE]", "end"];
const whole = [
  "tool-approval-response",
  "tool-output-available",
  "finish-step",
  "finish",
  "[DONE]",
  "end",
];
const log = [call("a"), asks("a"), ends("a"), success];

describe("the codec of an answer", () => {
  it.each<[string, MessageEvent[], Reading, string[]]>([
    [
      "ends where a call waits",
      log.slice(0, 2),
      { waiting: ["a"], lastSeq: 2 },
      [...asked, ...paused],
    ],
    ["ends where a call will wait", log, { lastSeq: 1 }, [...asked, ...paused]],
    [
      "continues after a decision whose result is to come",
      log.slice(0, 2),
      { lastSeq: 2 },
      [...asked, "open"],
    ],
    ["is replayed past a decided call", log, { lastSeq: 4 }, [...asked, ...whole]],
    [
      "waits where its client has left it",
      log,
      { waiting: ["a"], lastSeq: 2, last: { seq: 2, index: 2 } },
      whole,
    ],
    ["begins after the decided call", log, { lastSeq: 2, decided: ["a"] }, whole],
    [
      "begins before the result of a call that was never asked about",
      [call("a"), ends("a"), success],
      { decided: ["a"] },
      ["tool-output-available", "finish-step", "finish", "[DONE]", "end"],
    ],
    [
      "ends with the answer, of which a decided call is no part",
      [success],
      { decided: ["a"] },
      ["start-step", "finish-step", "finish", "[DONE]", "end"],
    ],
    [
      "ends with the call that is left",
      [call("a"), call("b"), asks("a", false), asks("b"), ends("a")],
      { waiting: ["b"], lastSeq: 5 },
      [
        ...start,
        "tool-input-available",
        "tool-approval-request",
        "tool-approval-request",
        "tool-approval-response",
        "tool-output-available",
        ...paused,
      ],
    ],
  ])("%s", (_name, events, options, chunks) => {
    expect(read(events, options)).toEqual(chunks);
  });
});
