import type { Span } from "@parley/schema";
import { describe, expect, it } from "vitest";
import {
  tracedAnswer,
  tracedCall,
  tracedInvocation,
  tracedRun,
  tracedStep,
} from "../../testing/traced-rows.ts";
import { deriveSpans } from "./derive-spans.ts";
import type { Traced } from "./traced-rows.ts";

const view = { currency: "USD", providerWords: undefined, traceparent: null };
const spansOf = (traced: Traced) => deriveSpans(traced, view).spans;

/** Each span as a line: its depth, its name and when it was, from the creation of the run. */
function draw(spans: readonly Span[]): string[] {
  const depthOf = ({ parentId }: Span): number => {
    const parent = spans.find(({ id }) => id === parentId);
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  const start = spans[0]!.startedAt;
  return spans.map((span) => {
    const end = span.endedAt === null ? "" : span.endedAt - start;
    const line = `${"  ".repeat(depthOf(span))}${span.kind} ${span.name}`;
    return `${line} ${span.startedAt - start}-${end} ${span.status}`;
  });
}

const minutes = (count: number) => count * 60_000;

describe("deriveSpans", () => {
  it("shows the wait for a worker, the attempt and its step", () => {
    expect(draw(spansOf(tracedAnswer()))).toEqual([
      "answer Helper 0-1000 succeeded",
      "  queue Queued 0-100 succeeded",
      "  attempt Attempt 1 100-1000 succeeded",
      "    step Step 1 150-950 succeeded",
    ]);
  });

  it("shows that an answer waited fifteen minutes for an approval", () => {
    const approvedAt = 2000 + minutes(15);
    const run = tracedRun({
      finishedAt: approvedAt + 3000,
      attempt: 2,
      attempts: [
        { attempt: 1, startedAt: 1100, workerId: "one", endedAt: 2000, end: "suspended" },
        { attempt: 2, dueAt: approvedAt + 900, startedAt: approvedAt + 1000, workerId: "two" },
      ],
    });
    const times = {
      createdAt: approvedAt,
      startedAt: approvedAt + 100,
      finishedAt: approvedAt + 900,
    };
    const call = tracedCall({
      createdAt: 2000,
      updatedAt: approvedAt + 900,
      decision: "approved",
      decided: { by: "Ann", at: approvedAt },
      invocation: tracedInvocation(times),
    });
    const second = tracedStep({
      step: 1,
      attempt: 2,
      startedAt: approvedAt + 1500,
      durationMs: 1000,
    });
    const spans = spansOf(tracedAnswer({ run, calls: [call], steps: [tracedStep(), second] }));
    expect(draw(spans)).toEqual([
      "answer Helper 0-904000 succeeded",
      "  queue Queued 0-100 succeeded",
      "  attempt Attempt 1 100-1000 succeeded",
      "    step Step 1 150-950 succeeded",
      "      call weather 1000-901900 succeeded",
      "        wait Needs approval 1000-901000 succeeded",
      "        invocation weather 901000-901900 succeeded",
      "          queue Queued 901000-901100 succeeded",
      "          attempt Attempt 1 901100-901900 succeeded",
      "  queue Queued 901900-902000 succeeded",
      "  attempt Attempt 2 902000-904000 succeeded",
      "    step Step 2 902500-903500 succeeded",
    ]);
  });

  it("shows a worker that was lost, and the takeover", () => {
    const run = tracedRun({
      attempt: 2,
      attempts: [
        { attempt: 1, startedAt: 1100, workerId: "one", endedAt: 1500, end: "lost" },
        { attempt: 2, dueAt: 1000, startedAt: 1600, workerId: "two" },
      ],
    });
    const steps = [tracedStep({ attempt: 2, startedAt: 1700, durationMs: 200 })];
    const spans = spansOf(tracedAnswer({ run, steps }));
    expect(draw(spans)).toEqual([
      "answer Helper 0-1000 succeeded",
      "  queue Queued 0-100 succeeded",
      "  attempt Attempt 1 100-500 errored",
      "  queue Queued 500-600 succeeded",
      "  attempt Attempt 2 600-1000 succeeded",
      "    step Step 1 700-900 succeeded",
    ]);
    expect(spans[2]!.error?.code).toBe("interrupted");
  });

  it("shows the delay before an invocation is tried again, and what its server was allowed for", () => {
    const run = tracedRun({
      finishedAt: 6000,
      attempt: 3,
      attempts: [
        { attempt: 1, startedAt: 1000, workerId: "one", endedAt: 2000, end: "lost" },
        {
          attempt: 2,
          dueAt: 3000,
          startedAt: 3100,
          workerId: "one",
          endedAt: 3500,
          end: "refused",
        },
        { attempt: 3, dueAt: 5000, startedAt: 5000, workerId: "one" },
      ],
    });
    expect(draw(spansOf({ kind: "invocation", ...tracedInvocation(run) }))).toEqual([
      "invocation weather 0-5000 succeeded",
      "  attempt Attempt 1 0-1000 errored",
      "  backoff Retry delay 1000-2000 succeeded",
      "  queue Queued 2000-2100 succeeded",
      "  attempt Attempt 2 2100-2500 succeeded",
      "  wait Needs permission 2500-4000 succeeded",
      "  attempt Attempt 3 4000-5000 succeeded",
    ]);
  });

  it("shows what is going on without an end", () => {
    const running = { status: "running", outcome: null, finishedAt: null } as const;
    const spans = spansOf(tracedAnswer({ run: tracedRun(running), steps: [] }));
    expect(draw(spans)).toEqual([
      "answer Helper 0- running",
      "  queue Queued 0-100 succeeded",
      "  attempt Attempt 1 100- running",
      "    step Step 1 100- running",
    ]);
    const ended = spansOf(tracedAnswer());
    expect(spans.map(({ id }) => id)).toEqual(ended.map(({ id }) => id));
  });

  it.each([
    ["blocked_validation_required", "weather", "Needs approval"],
    ["blocked_user_answer_required", "ask_user", "Needs an answer"],
    ["blocked_authentication_required", "weather", "Needs permission"],
    ["blocked_client_output_required", "weather", "Needs the application's output"],
  ])("shows that a call which is %s waits", (status, functionCallName, name) => {
    const attempts = [
      { attempt: 1, startedAt: 1100, workerId: "one", endedAt: 2000, end: "suspended" as const },
    ];
    const waiting = { status: "suspended", outcome: null, finishedAt: null, attempts } as const;
    const call = tracedCall({
      status,
      functionCallName,
      createdAt: 2000,
      updatedAt: 2000,
      output: null,
    });
    const spans = spansOf(tracedAnswer({ run: tracedRun(waiting), calls: [call] }));
    expect(draw(spans).slice(-2)).toEqual([
      "      call weather 1000- running",
      `        wait ${name} 1000- running`,
    ]);
    expect(spans.filter((span) => span.status === "running")).toHaveLength(3);
  });

  it("ends what a cancelled answer waited for", () => {
    const attempts = [
      { attempt: 1, startedAt: 1100, workerId: "one", endedAt: 2000, end: "suspended" as const },
    ];
    const run = tracedRun({ outcome: "cancelled", finishedAt: 5000, attempts });
    const call = tracedCall({ status: "errored", createdAt: 2000, updatedAt: 5001 });
    expect(draw(spansOf(tracedAnswer({ run, calls: [call] }))).slice(-2)).toEqual([
      "      call weather 1000-4000 cancelled",
      "        wait Needs approval 1000-4000 cancelled",
    ]);
    const unstarted = { outcome: "cancelled", startedAt: null, attempt: 0 } as const;
    expect(draw(spansOf(tracedAnswer({ run: tracedRun(unstarted), steps: [] })))).toEqual([
      "answer Helper 0-1000 cancelled",
      "  queue Queued 0-1000 cancelled",
    ]);
  });

  it("derives steps of rows from before they were dated, and says that attempts are missing", () => {
    const old = [0, 1].map((step) => ({
      step,
      durationMs: 300,
      inputTokens: null,
      outputTokens: null,
    }));
    const calls = [tracedCall({ createdAt: 1500, updatedAt: 1600 })];
    const trace = deriveSpans(
      tracedAnswer({ run: tracedRun({ attempt: 3 }), steps: old, calls }),
      view,
    );
    expect(draw(trace.spans)).toEqual([
      "answer Helper 0-1000 succeeded",
      "  queue Queued 0-100 succeeded",
      "  attempt Attempt 3 100-1000 succeeded",
      "    step Step 1 200-500 succeeded",
      "      call weather 500-600 succeeded",
      "        wait Needs approval 500-600 cancelled",
      "    step Step 2 700-1000 succeeded",
    ]);
    expect(trace.isCut).toBe(true);
  });

  it("names the model that answered in place of another, with tokens and costs of both", () => {
    const other = { providerId: "mistral", modelId: "large" };
    const asked = { providerId: "openai", modelId: "gpt-5" };
    const passedOver = [{ model: asked, reason: "overloaded", inputTokens: 5, outputTokens: 0 }];
    const [, , , step] = spansOf(
      tracedAnswer({ steps: [tracedStep({ model: other, passedOver })] }),
    );
    expect(step).toMatchObject({
      model: other,
      passedOver: [{ ...asked, reason: "overloaded" }],
      tokens: { inputTokens: 25, outputTokens: 10, reasoningTokens: 0 },
      cost: { amount: "0.002", currency: "USD", unpricedCalls: 1 },
      firstTokenMs: 300,
    });
  });

  it("shows the pauses after calls of a model that failed, below their step", () => {
    const step = tracedStep();
    const said = { code: "provider_rate_limited", message: "It is busy (openai)" };
    const retries = [{ at: step.startedAt! + 100, pauseMs: 250, ...said }];
    const spans = spansOf(tracedAnswer({ steps: [{ ...step, retries }] }));
    expect(draw(spans).at(-1)).toBe("      backoff Retry 250-500 errored");
    expect(spans.at(-1)).toMatchObject({ error: said, step: 0, parentId: spans.at(-2)!.id });
  });

  it("gives a failed step the provider's own words, and readers without a currency no costs", () => {
    const error = { code: "provider_error", message: "It failed" };
    const answer = tracedAnswer({ run: tracedRun({ outcome: "errored" }), error });
    const said = deriveSpans(answer, { ...view, providerWords: "no such model" }).spans;
    const provider = { ...error, provider: "no such model" };
    expect(said.map((span) => span.error)).toEqual([provider, undefined, undefined, provider]);
    const hidden = deriveSpans(answer, { ...view, currency: undefined }).spans;
    expect(hidden.map((span) => span.error)).toEqual([error, undefined, undefined, error]);
    expect(hidden.some((span) => span.cost !== undefined)).toBe(false);
    expect(hidden[0]!.tokens?.inputTokens).toBe(20);
  });

  it("shows the summary that the end of the answer started as a run of its own", () => {
    const run = tracedRun({ logId: "sum1", createdAt: 2000, startedAt: 2100, finishedAt: 2600 });
    const model = { providerId: "openai", modelId: "gpt-5" };
    const summary = { run, model, steps: [], error: null };
    const spans = spansOf(tracedAnswer({ summaries: [summary] }));
    expect(draw(spans).slice(-3)).toEqual([
      "compaction Summary of earlier messages 1000-1600 succeeded",
      "  queue Queued 1000-1100 succeeded",
      "  attempt Attempt 1 1100-1600 succeeded",
    ]);
  });

  it("continues the trace of the request, if that is valid", () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    expect(deriveSpans(tracedAnswer(), { ...view, traceparent })).toMatchObject({
      traceId: "a".repeat(32),
      parentSpanId: "b".repeat(16),
    });
    for (const wrong of [null, "", traceparent.toUpperCase(), traceparent.replaceAll("a", "0")]) {
      const trace = deriveSpans(tracedAnswer(), { ...view, traceparent: wrong });
      expect(trace.parentSpanId).toBeNull();
      expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(trace.traceId).not.toMatch(/^[0a]+$/);
    }
  });
});
