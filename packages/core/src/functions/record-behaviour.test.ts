import { describe, expect, it } from "vitest";
import { recordBehaviour } from "./record-behaviour.ts";

const ids = { invocationId: "sfi_x", functionId: "sfn_x" };
const stream = [
  {
    type: "sandbox_function_invocation_created",
    created: 1000,
    invocation: {
      sId: "sfi_x",
      functionId: "sfn_x",
      status: "created",
      createdAt: "2026-01-01T00:00:00.000Z",
    },
  },
  { type: "sandbox_function_invocation_log", created: 1010, ...ids, stream: "stderr", text: "x" },
  {
    type: "sandbox_function_invocation_progress",
    created: 1020,
    ...ids,
    done: 1,
    total: 2,
    label: "y",
  },
  { type: "sandbox_function_invocation_result", created: 1050, ...ids, result: { ok: true } },
];
const outcome = { status: "succeeded", result: 1 };
const record = (...lines: unknown[]) =>
  recordBehaviour(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))));

describe("the recording of past invocations", () => {
  it("takes the events of a stream", () => {
    expect(record({ input: { a: 1 }, events: stream }, "")).toEqual({
      type: "recorded",
      otherwise: "error",
      recordings: [
        {
          input: { a: 1 },
          durationMs: 50,
          events: [
            { afterMs: 10, log: { stream: "stderr", text: "x" } },
            { afterMs: 20, progress: { done: 1, total: 2, label: "y" } },
          ],
          outcome: { status: "succeeded", result: { ok: true } },
        },
      ],
    });
  });

  it("takes logs and progress without a stream", () => {
    const logs = [{ stream: "stdout", text: "late", afterMs: 9 }];
    const progress = [{ done: 1, total: 1, label: "early" }];
    const [recording] = record({ logs, progress, outcome, durationMs: 20 }).recordings;
    expect(recording).toEqual({
      input: null,
      durationMs: 20,
      events: [
        { afterMs: 0, progress: progress[0] },
        { afterMs: 9, log: { stream: "stdout", text: "late" } },
      ],
      outcome,
    });
  });

  it.each([
    ["what is no JSON", ["", "{"], "Line 2: must be JSON"],
    ["what is no object", ["7"], "Line 1: "],
    ["no outcome", [{ outcome }, { events: stream.slice(0, 3) }], "Line 2: outcome: is required"],
    ["a NUL", [{ input: { a: "\u0000" }, outcome }], "Line 1: input.a: must not contain NUL"],
    ["lost digits", ['{"input":12345678901234567890}'], "Line 1: input: must be an integer"],
    [
      "an unknown code",
      [{ outcome: { status: "errored", error: { code: "x", message: "" } } }],
      "Line 1: outcome.error.code: ",
    ],
    [
      "a stream that goes back",
      [{ events: stream.toReversed(), outcome }],
      "Line 1: events[0].afterMs: ",
    ],
    ["no line", [""], "recordings: "],
    ["too many lines", Array.from({ length: 1001 }, () => ({ outcome })), "recordings: "],
    [
      "too much of them",
      [{ outcome: { ...outcome, result: "x".repeat(3e6) } }],
      "recordings: must be at most 2097152 bytes",
    ],
  ])("refuses %s", (_name, lines, message) => {
    expect(() => record(...lines)).toThrow(message);
  });
});
