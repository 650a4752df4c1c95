import type { Action } from "parley-client";
import { expect, test } from "vitest";
import { spansOf } from "./call-spans.ts";

const call = (createdAt: number, updatedAt: number, executionDurationMs: number | null) =>
  ({ createdAt, updatedAt, executionDurationMs }) as Action;

test("places calls on the time of their answer", () => {
  const actions = [call(1000, 1500, 400), call(1500, 2000, null)];
  const spans = spansOf({ created: 1000, actions });
  expect(spans).toMatchObject([
    { startShare: 0, lengthShare: 0.5, durationMs: 400 },
    { startShare: 0.5, lengthShare: 0.5, durationMs: 500 },
  ]);
});

test("keeps a call within its answer, whatever the clocks say", () => {
  const [span] = spansOf({ created: 2000, actions: [call(1000, 2000, 5000)] });
  expect(span).toMatchObject({ startShare: 0, lengthShare: 1 });
});
