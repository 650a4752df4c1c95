/**
 * The trace of a run, from its rows. It reads neither database nor clock, and gives the same spans with the same ids
 * whenever it is asked: what has ended does not change, and what goes on has no end yet.
 */
import type { StoredStep } from "@parley/db";
import { type Cost, MAX_SPANS, type Span, type TokenCounts, type Trace } from "@parley/schema";
import { toDecimal, toNano } from "../usage/prices.ts";
import { isOpen, spansOfCall, spansOfInvocation } from "./call-spans.ts";
import { type RunSpans, spansOfRun } from "./run-spans.ts";
import { spanId, traceOf } from "../runs/span-ids.ts";
import { inOrder, within } from "./span-building.ts";
import type { Traced, TracedAnswer, TracedSummary, TraceView } from "./traced-rows.ts";

/** Derives the trace of a run, with what the reader may see. */
export function deriveSpans(traced: Traced, view: TraceView): Trace {
  const { logId } = traced.run;
  const { spans, isCut } = spansOf(traced, view);
  const ordered = inOrder(spans.map(endedWithParent));
  return {
    ...traceOf(logId, view.traceparent),
    runId: logId,
    spans: ordered.slice(0, MAX_SPANS),
    isCut: isCut || ordered.length > MAX_SPANS,
  };
}

/** A span whose parent has ended cannot go on. */
const endedWithParent = (span: Span): Span =>
  span.status === "running" && span.endedAt !== null ? { ...span, status: "cancelled" } : span;

type Derived = { readonly spans: Span[]; readonly isCut: boolean };

function spansOf(traced: Traced, view: TraceView): Derived {
  if (traced.kind === "answer") return spansOfAnswer(traced, view);
  if (traced.kind === "compaction") return spansOfSummary(traced, view);
  return spansOfInvocation(traced, null);
}

function spansOfAnswer(answer: TracedAnswer, view: TraceView, parent: Span | null = null): Derived {
  const { run, calls, steps, error } = answer;
  const provider = view.providerWords;
  const failed = error && { ...plain(error), ...(provider !== undefined && { provider }) };
  // The transaction that writes calls suspends the run.
  const leftAt = calls.length === 0 ? undefined : Math.max(...calls.map((one) => one.createdAt));
  const ofRun = spansOfRun(run, {
    kind: "answer",
    parent,
    root: { name: answer.name, ...countsOf(steps, view), ...(failed && { error: failed }) },
    leftAt,
  });
  const { root } = ofRun;
  const made = spansOfSteps(answer, { ofRun, view, failed });
  const tasks: Derived[] = [];
  const called = calls.flatMap((call) => {
    const step = made.find((span) => span.step === call.step) ?? root;
    const spans = spansOfCall(call, { ...answer, root, step });
    // What a provider said of the answer is not of its tasks.
    const ofTask = { ...view, providerWords: undefined };
    if (call.task !== undefined) tasks.push(spansOfAnswer(call.task, ofTask, spans[0]));
    return spans;
  });
  const current = runningStep(answer, { ofRun, ended: [...made, ...called] });
  const summaries = answer.summaries.map((summary) => spansOfSummary(summary, view));
  const own = [root, ...ofRun.waits, ...ofRun.attempts, ...made, ...called];
  const others = [...tasks, ...summaries];
  const spans = [...own, ...(current ?? []), ...others.flatMap((one) => one.spans)];
  return { spans, isCut: ofRun.isCut || others.some((one) => one.isCut) };
}

interface StepOptions {
  readonly ofRun: RunSpans;
  readonly view: TraceView;
  readonly failed: Span["error"] | null;
}

function spansOfSteps(
  { run, steps, calls, model }: TracedAnswer,
  { ofRun: { root, attempts }, view, failed }: StepOptions,
): Span[] {
  let previous = attempts[0]?.startedAt ?? root.startedAt;
  return steps.flatMap((step, index): Span[] => {
    const { startedAt, endedAt } = timesOf(step, {
      called: calls.find((call) => call.step === step.step)?.createdAt,
      ended: index === steps.length - 1 ? root.endedAt : null,
      previous,
    });
    previous = endedAt;
    const parent =
      attempts.find(({ attempt }) => attempt === step.attempt) ??
      attempts.findLast((one) => one.startedAt <= startedAt) ??
      root;
    const isFailed =
      failed &&
      failed.code !== "interrupted" &&
      index === steps.length - 1 &&
      !calls.some((call) => call.step === step.step);
    const span: Span = {
      id: stepId(run.logId, step.step),
      parentId: parent.id,
      kind: "step",
      name: `Step ${step.step + 1}`,
      ...within(parent, { startedAt, endedAt }),
      status: isFailed ? "errored" : "succeeded",
      ...(parent.attempt !== undefined && { attempt: parent.attempt }),
      step: step.step,
      model: step.model ?? model,
      ...(step.passedOver && {
        passedOver: step.passedOver.map((one) => ({ ...one.model, reason: one.reason })),
      }),
      ...(step.firstTokenMs !== undefined && { firstTokenMs: step.firstTokenMs }),
      ...countsOf([step], view),
      ...(isFailed && { error: failed }),
    };
    return [span, ...retriesOf(run.logId, step, span)];
  });
}

/** The pauses after calls of a step that have failed, each with what its service said. */
function retriesOf(runId: string, { step, retries = [] }: StoredStep, parent: Span): Span[] {
  return retries.map(({ at, pauseMs, code, message }, index) => ({
    id: spanId(runId, "backoff", { key: `${step} ${index}` }),
    parentId: parent.id,
    kind: "backoff",
    name: "Retry",
    ...within(parent, { startedAt: at, endedAt: at + pauseMs }),
    status: "errored",
    step,
    error: { code, message },
  }));
}

/** A step is made once: a takeover repeats only what was not saved. */
const stepId = (runId: string, step: number) => spanId(runId, "step", { key: step });

/** When a step was made. In rows from before that was recorded, it ended when its calls were written. */
function timesOf(
  { startedAt, durationMs }: StoredStep,
  known: { called: number | undefined; ended: number | null; previous: number },
): { readonly startedAt: number; readonly endedAt: number } {
  const end = known.called ?? known.ended;
  const start = startedAt ?? (end === null ? known.previous : end - durationMs);
  return { startedAt: start, endedAt: start + durationMs };
}

/** The step that a running attempt is at, since all calls have ended: its row is written once it ends. */
function runningStep(
  { run, calls, steps, model }: TracedAnswer,
  { ofRun: { attempts }, ended }: { ofRun: RunSpans; ended: readonly Span[] },
): Span[] | undefined {
  const attempt = attempts.at(-1);
  if (run.status !== "running" || attempt?.status !== "running") return undefined;
  if (calls.some(isOpen)) return undefined;
  const step = (steps.at(-1)?.step ?? -1) + 1;
  const ends = ended.flatMap(({ endedAt }) => (endedAt === null ? [] : [endedAt]));
  return [
    {
      id: stepId(run.logId, step),
      parentId: attempt.id,
      kind: "step",
      name: `Step ${step + 1}`,
      startedAt: Math.max(attempt.startedAt, ...ends),
      endedAt: null,
      status: "running",
      ...(attempt.attempt !== undefined && { attempt: attempt.attempt }),
      step,
      model,
    },
  ];
}

function spansOfSummary({ run, steps, model, error }: TracedSummary, view: TraceView): Derived {
  const { root, attempts, waits, isCut } = spansOfRun(run, {
    kind: "compaction",
    parent: null,
    root: {
      name: "Summary of earlier messages",
      model,
      ...countsOf(steps, view),
      ...(error && { error: plain(error) }),
    },
  });
  return { spans: [root, ...waits, ...attempts], isCut };
}

const plain = ({ code, message }: { readonly code: string; readonly message: string }) => ({
  code,
  message,
});

/** Tokens and costs of some steps, with those of the models that gave way in them. */
function countsOf(
  steps: readonly StoredStep[],
  { currency }: TraceView,
): Pick<Span, "tokens" | "cost"> {
  const made = steps.flatMap((step) => [step, ...(step.passedOver ?? [])]);
  const counted = made.filter(
    ({ inputTokens }) => inputTokens !== null && inputTokens !== undefined,
  );
  if (counted.length === 0) return {};
  const sum = (member: keyof TokenCounts) =>
    counted.reduce((total, one) => total + (one[member] ?? 0), 0);
  const tokens: TokenCounts = {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    reasoningTokens: sum("reasoningTokens"),
  };
  if (currency === undefined) return { tokens };
  const amounts = counted.flatMap(({ amount }) => (amount === undefined ? [] : [amount]));
  const cost: Cost = {
    amount: toDecimal(amounts.reduce((total, amount) => total + toNano(amount), 0n)),
    currency,
    unpricedCalls: counted.length - amounts.length,
  };
  return { tokens, cost };
}
