import { expect, test } from "vitest";
import { cancelsOf, isCancellable } from "./cancel-runs.ts";
import type { Run } from "./kinds.ts";

const runOf = (changed: Partial<Run>): Run => ({
  id: "one",
  kind: "turn",
  status: "running",
  function: { sId: "sfn_1", slug: "add" },
  tool: null,
  agent: null,
  conversationId: "x",
  messageId: null,
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  durationMs: null,
  attempts: 1,
  error: null,
  ...changed,
});

test.for([
  [{ status: "waiting" }, true],
  [{ status: "running", kind: "invocation" }, true],
  [{ status: "blocked" }, true],
  [{ status: "running", kind: "tool_call" }, false],
  [{ status: "running", conversationId: null }, false],
  [{ status: "succeeded", endedAt: 1 }, false],
  [{ status: "errored", endedAt: null }, false],
] as const)("that %o can be cancelled is %s", ([run, expected]) => {
  expect(isCancellable(runOf(run))).toBe(expected);
});

test("cancels the turns of a conversation with one call, and each invocation with its own", () => {
  const cancels = cancelsOf([
    runOf({ id: "a" }),
    runOf({ id: "b", kind: "invocation" }),
    runOf({ id: "c" }),
    runOf({ id: "d", conversationId: "y" }),
    runOf({ id: "e", kind: "tool_call", conversationId: "y" }),
    runOf({ id: "f", kind: "tool_call", conversationId: null, tool: { sId: "msv_1", name: "" } }),
  ]);
  expect(cancels).toEqual([
    { conversationId: "x", messageIds: ["a", "c"] },
    { conversationId: "y", messageIds: ["d"] },
    { functionId: "sfn_1", invocationId: "b" },
    { functionId: "msv_1", invocationId: "f" },
  ]);
});
