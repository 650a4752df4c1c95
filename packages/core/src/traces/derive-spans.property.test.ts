import fc from "fast-check";
import { expect, it } from "vitest";
import {
  tracedAnswer,
  tracedCall,
  tracedInvocation,
  tracedRun,
  tracedStep,
} from "../../testing/traced-rows.ts";
import { deriveSpans } from "./derive-spans.ts";
import type { TracedCall, TracedRun } from "./traced-rows.ts";

const time = fc.integer({ min: 500, max: 9000 });
const end = fc.constantFrom("suspended", "lost", "handed_back", "refused", undefined);
const attempts = fc
  .array(fc.record({ dueAt: time, startedAt: time, endedAt: time, end }), { maxLength: 5 })
  .map((drawn) =>
    drawn.map(({ end: how, endedAt, ...one }, index) => ({
      ...one,
      attempt: index + 1,
      workerId: "w",
      ...(how !== undefined && { end: how, endedAt }),
    })),
  );
const ended = fc.constantFrom("succeeded", "errored", "cancelled");
const run = (logId: string) =>
  fc
    .record({
      attempts: fc.option(attempts),
      status: fc.constantFrom("waiting", "running", "suspended", "finished"),
      outcome: ended,
      startedAt: fc.option(time),
      finishedAt: time,
    })
    .map(({ status, outcome, finishedAt, ...drawn }): TracedRun => {
      const isEnded = status === "finished";
      const last = { outcome: isEnded ? outcome : null, finishedAt: isEnded ? finishedAt : null };
      return tracedRun({ ...drawn, ...last, logId, status, attempt: drawn.attempts?.length ?? 1 });
    });
const call = (index: number) =>
  fc
    .record({
      step: fc.nat(3),
      createdAt: time,
      updatedAt: time,
      status: fc.constantFrom(
        "running",
        "succeeded",
        "errored",
        "denied",
        "blocked_validation_required",
      ),
      decided: fc.option(fc.record({ by: fc.constant("Ann"), at: time })),
      invoked: fc.option(run(`sfi${index}`)),
    })
    .map(({ invoked, ...drawn }): TracedCall => {
      const invocation = invoked && tracedInvocation(invoked);
      return tracedCall({ ...drawn, sid: `act${index}`, invocation });
    });
const steps = fc
  .array(fc.record({ startedAt: fc.option(time, { nil: undefined }), attempt: fc.nat(6) }), {
    maxLength: 4,
  })
  .map((drawn) =>
    drawn.map(({ startedAt, attempt }, step) => {
      const { startedAt: _dated, ...undated } = tracedStep({ step, attempt });
      return startedAt === undefined ? undated : { ...undated, startedAt };
    }),
  );
const answer = fc
  .record({ run: run("msg1"), steps, calls: fc.tuple(call(0), call(1), call(2)) })
  .map(tracedAnswer);

it("spans nest, begin in order and have unique ids that stay, whatever the rows say", () => {
  const view = { currency: "EUR", providerWords: "no", traceparent: null };
  fc.assert(
    fc.property(answer, (drawn) => {
      const { spans } = deriveSpans(drawn, view);
      const [root] = spans;
      expect(root!.startedAt).toBe(drawn.run.createdAt);
      const endOfRun = drawn.run.status === "finished" ? drawn.run.finishedAt : null;
      const { createdAt } = drawn.run;
      expect(root!.endedAt).toBe(endOfRun === null ? null : Math.max(createdAt, endOfRun));
      const seen = new Map<string, (typeof spans)[number]>();
      let before = 0;
      for (const span of spans) {
        expect(seen.has(span.id)).toBe(false);
        seen.set(span.id, span);
        expect(span.startedAt).toBeGreaterThanOrEqual(before);
        before = span.startedAt;
        expect(span.endedAt ?? Infinity).toBeGreaterThanOrEqual(span.startedAt);
        expect(span.status === "running").toBe(span.endedAt === null);
        if (span.parentId === null) continue;
        const parent = seen.get(span.parentId)!;
        expect(span.startedAt).toBeGreaterThanOrEqual(parent.startedAt);
        // A call begins where the step that asked for it ends.
        const around = span.kind === "call" ? root! : parent;
        expect(span.endedAt ?? Infinity).toBeLessThanOrEqual(around.endedAt ?? Infinity);
      }
      expect(deriveSpans(drawn, view).spans).toEqual(spans);
    }),
    { numRuns: 200 },
  );
});
