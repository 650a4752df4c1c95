import { expect, test } from "vitest";
import { runOf } from "../../testing/models.ts";
import { isCancellable } from "./kinds.ts";

test.for([
  [{ status: "waiting" }, true],
  [{ status: "running", kind: "invocation" }, true],
  [{ status: "blocked" }, true],
  [{ status: "running", kind: "tool_call" }, true],
  [{ status: "succeeded", endedAt: 1 }, false],
  [{ status: "errored", endedAt: null }, false],
] as const)("that %o can be cancelled is %s", ([run, expected]) => {
  expect(isCancellable(runOf(run))).toBe(expected);
});
