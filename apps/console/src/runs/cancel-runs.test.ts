import { expect, test } from "vitest";
import { runOf } from "../../testing/models.ts";
import { cancelsOf, isCancellable } from "./cancel-runs.ts";

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
