import type { MessageEvent } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { createRunCodec, type Run } from "./run-codec.ts";

// What only these events have is read of them.
const event = (type: MessageEvent["type"], rest: object = {}, step = 0) =>
  ({ type, step, created: 7, ...rest }) as MessageEvent;
const token = (text: string, step = 0, classification = "tokens") =>
  event("generation_tokens", { text, classification }, step);
const call = (sId: string, step = 0) =>
  event("tool_params", { action: { sId, functionCallName: "buy", params: { n: 1 } } }, step);
const result = (sId: string, step = 0) =>
  event("agent_action_success", { action: { sId, output: [{ type: "text", text: "ok" }] } }, step);
const asks = (actionId: string, isLastBlockingEventForStep = true) =>
  event("tool_approve_execution", {
    actionId,
    isLastBlockingEventForStep,
    inputs: { n: 1 },
    stake: "low",
    metadata: { toolName: "buy" },
  });
const needs = (actionId: string) => event("tool_output_required", { actionId });
const success = event("agent_message_success", { message: {} }, 1);

/** The events of a run: their types, with what tells them apart. */
function read(events: readonly MessageEvent[], options: Partial<Run> = {}) {
  const waiting = { actionIds: new Set<string>(), lastSeq: 0 };
  const codec = createRunCodec({ threadId: "t", runId: "r", messageId: "m", waiting, ...options });
  const frames = [...(codec.begin?.() ?? [])];
  for (const [index, one] of events.entries()) {
    if (codec.isEnded) break;
    frames.push(...codec.encode(one, index + 1));
  }
  return frames.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
}

const typesOf = (events: readonly Record<string, unknown>[]) =>
  events.map(({ type, messageId, toolCallId, stepName, delta }) =>
    [type, stepName ?? toolCallId ?? messageId, delta].filter((one) => one !== undefined).join(" "),
  );

describe("a run", () => {
  const task = (actionId: string, messageId: string) =>
    event("agent_task_started", {
      actionId,
      task: { conversationId: "c", messageId, agentId: "bob", agentName: "Bob" },
    });
  const failed = event("agent_action_success", {
    action: { sId: "b", status: "errored", output: [{ type: "text", text: "It broke" }] },
  });
  const done = event("agent_action_success", {
    action: { sId: "a", status: "succeeded", output: [{ type: "text", text: "ok" }] },
  });

  it("has tasks as sub-agents, which end with their calls or with the run", () => {
    const ofTasks = (events: readonly MessageEvent[]) =>
      read(events).filter(({ type }) => String(type).startsWith("SUBAGENT_"));
    const calls = [call("a"), call("b"), task("a", "x"), task("b", "y")];
    const started = { type: "SUBAGENT_STARTED", name: "Bob" };
    const begun = [
      { ...started, subagentRunId: "x", parentToolCallId: "a" },
      { ...started, subagentRunId: "y", parentToolCallId: "b" },
    ];
    expect(ofTasks([...calls, done, failed, success])).toMatchObject([
      ...begun,
      { type: "SUBAGENT_FINISHED", subagentRunId: "x" },
      { type: "SUBAGENT_ERROR", subagentRunId: "y", message: "It broke" },
    ]);
    expect(ofTasks([...calls, done, event("agent_generation_cancelled")]).at(-1)).toMatchObject({
      type: "SUBAGENT_ERROR",
      subagentRunId: "y",
      code: "cancelled",
    });
  });

  it("has steps, in which texts, reasoning and calls follow each other", () => {
    const events = read([
      token("Hm", 0, "chain_of_thought"),
      token(""),
      token("I "),
      token("buy"),
      call("a"),
      result("a"),
      token("Done", 1),
      success,
    ]);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "STEP_STARTED step 0",
      "REASONING_START m.reasoning",
      "REASONING_MESSAGE_START m.reasoning",
      "REASONING_MESSAGE_CONTENT m.reasoning Hm",
      "REASONING_MESSAGE_END m.reasoning",
      "REASONING_END m.reasoning",
      "TEXT_MESSAGE_START m",
      "TEXT_MESSAGE_CONTENT m I ",
      "TEXT_MESSAGE_CONTENT m buy",
      "TEXT_MESSAGE_END m",
      "TOOL_CALL_START a",
      'TOOL_CALL_ARGS a {"n":1}',
      "TOOL_CALL_END a",
      "TOOL_CALL_RESULT a",
      "STEP_FINISHED step 0",
      "STEP_STARTED step 1",
      "TEXT_MESSAGE_START m.1",
      "TEXT_MESSAGE_CONTENT m.1 Done",
      "TEXT_MESSAGE_END m.1",
      "STEP_FINISHED step 1",
      "RUN_FINISHED",
    ]);
    expect(events[0]).toEqual({
      type: "RUN_STARTED",
      threadId: "t",
      runId: "r",
      protocolVersion: "1.0",
    });
    expect(events.at(-1)).toMatchObject({ timestamp: 7, outcome: { type: "success" } });
  });

  it("ends with an error, or as cancelled, and closes what is open", () => {
    const error = { code: "provider_error", message: "No" };
    expect(read([token("I "), event("agent_error", { error })]).slice(-3)).toMatchObject([
      { type: "TEXT_MESSAGE_END" },
      { type: "STEP_FINISHED" },
      { type: "RUN_ERROR", ...error },
    ]);
    expect(read([event("agent_generation_cancelled")]).at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "cancelled" },
    });
  });

  it("ends where calls wait for a person, once all of the step are announced", () => {
    const log = [call("a"), call("b"), asks("a", false), asks("b"), result("a")];
    const last = read(log, { waiting: { actionIds: new Set(["a", "b"]), lastSeq: 4 } }).at(-1);
    expect(last).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "interrupt", interrupts: [{ id: "a" }, { id: "b", toolCallId: "b" }] },
    });
  });

  it("ends where a call waits for the application", () => {
    expect(read([call("a"), needs("a")]).at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success", pendingToolCallIds: ["a"] },
    });
  });

  it("passes over calls that were decided by another way", () => {
    const log = [call("a"), asks("a"), result("a"), success];
    const types = typesOf(read(log, { waiting: { actionIds: new Set(), lastSeq: 4 } }));
    expect(types).toContain("TOOL_CALL_RESULT a");
    expect(types.at(-1)).toBe("RUN_FINISHED");
  });

  it("that continues begins after what was decided", () => {
    const log = [token("I "), call("a"), asks("a"), result("a"), token("Done", 1), success];
    const continues = new Set(["a"]);
    expect(typesOf(read(log, { continues })).slice(0, 3)).toEqual([
      "RUN_STARTED",
      "STEP_STARTED step 0",
      "TOOL_CALL_RESULT a",
    ]);
  });

  it("that continues ends with the answer, whatever that waited for", () => {
    expect(typesOf(read([success], { continues: new Set(["x"]) }))).toEqual([
      "RUN_STARTED",
      "RUN_FINISHED",
    ]);
  });
});
