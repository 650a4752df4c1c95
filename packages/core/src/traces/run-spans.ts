/** What the traces of all runs have: the run itself, its attempts, and its waits between them. */
import type { StoredAttempt } from "@parley/db";
import type { Span, SpanKind } from "@parley/schema";
import { spanId } from "../runs/span-ids.ts";
import { within } from "./span-building.ts";
import type { TracedRun } from "./traced-rows.ts";

/** How a run stands. */
export function statusOf({ status, outcome }: TracedRun): Span["status"] {
  if (status !== "finished") return "running";
  return outcome === "refused" ? "errored" : (outcome ?? "succeeded");
}

/** An attempt with its end: null while it goes on. */
interface Attempt extends Omit<StoredAttempt, "endedAt"> {
  readonly endedAt: number | null;
}

/**
 * The attempts of a run. In rows from before they were recorded, the first one alone is known; if that left the run,
 * it did so at `leftAt`.
 */
function attemptsOf(run: TracedRun, leftAt: number | undefined): Attempt[] {
  const { startedAt, attempt, status, finishedAt } = run;
  const unrecorded: readonly StoredAttempt[] =
    startedAt === null || attempt === 0 ? [] : [{ attempt, startedAt, workerId: null }];
  const stored = run.attempts?.length ? run.attempts : unrecorded;
  return stored.map((one, index) => {
    const next = stored[index + 1]?.startedAt;
    const isLeft = status !== "running" && status !== "finished";
    const end = isLeft ? (leftAt ?? one.startedAt) : finishedAt;
    return { ...one, endedAt: one.endedAt ?? next ?? end };
  });
}

const ends: Readonly<Record<NonNullable<StoredAttempt["end"]>, Pick<Span, "status" | "error">>> = {
  suspended: { status: "succeeded" },
  refused: { status: "succeeded" },
  handed_back: { status: "cancelled" },
  lost: {
    status: "errored",
    error: { code: "interrupted", message: "The worker stopped before the attempt had ended" },
  },
};

/** The spans of a run, its root first. */
export interface RunSpans {
  readonly root: Span;
  readonly attempts: readonly Span[];
  /** Waiting for a worker, for another attempt, and for an authorization. */
  readonly waits: readonly Span[];
  /** Whether it had attempts that were not kept. */
  readonly isCut: boolean;
}

interface RunOptions {
  readonly kind: SpanKind;
  readonly parent: Span | null;
  /** What the root has besides. */
  readonly root: Pick<Span, "name"> & Partial<Span>;
  readonly leftAt?: number | undefined;
}

/** Derives the spans that a run of any kind has. */
export function spansOfRun(run: TracedRun, options: RunOptions): RunSpans {
  const { kind, parent } = options;
  const { logId, createdAt } = run;
  const isEnded = run.status === "finished";
  const whole = {
    startedAt: createdAt,
    endedAt: isEnded ? Math.max(createdAt, run.finishedAt ?? createdAt) : null,
  };
  const root: Span = {
    id: spanId(logId, kind),
    parentId: parent?.id ?? null,
    kind,
    ...(parent === null ? whole : within(parent, whole)),
    status: statusOf(run),
    ...options.root,
  };
  const attempts = attemptsOf(run, options.leftAt);
  const spans = attempts.map((one, index): Span => {
    const isLast = index === attempts.length - 1;
    return {
      id: spanId(logId, "attempt", one),
      parentId: root.id,
      kind: "attempt",
      name: `Attempt ${one.attempt}`,
      ...within(root, one),
      attempt: one.attempt,
      status: isLast && one.endedAt === null ? "running" : isLast ? root.status : "succeeded",
      ...(one.end !== undefined && ends[one.end]),
    };
  });
  const waits = attempts.flatMap((one, index) =>
    waitsBetween(root, { before: attempts[index - 1], next: one, logId }),
  );
  const last = attempts.at(-1);
  const isLeft = last === undefined || last.end !== undefined;
  const open = isLeft ? waitsAfter(root, { run, last }) : [];
  const known = attempts.length;
  return {
    root,
    attempts: spans,
    waits: [...waits, ...open].filter(({ startedAt, endedAt }) => endedAt !== startedAt),
    isCut: known < (last?.attempt ?? 0),
  };
}

type Times = Pick<Span, "startedAt" | "endedAt">;

/** A wait before the attempt `next`, whose number names it. */
function waitSpan(
  root: Span,
  { logId, kind, next }: { logId: string; kind: "queue" | "backoff" | "wait"; next: number },
  times: Times,
): Span {
  const named = { queue: "Queued", backoff: "Retry delay", wait: "Needs permission" };
  const timed = within(root, times);
  return {
    id: spanId(logId, kind, { attempt: next }),
    parentId: root.id,
    kind,
    name: named[kind],
    ...timed,
    status: timed.endedAt === null ? "running" : "succeeded",
    ...(kind === "wait" && { waitsFor: "authorization" }),
  };
}

/** What passes between two attempts: until another may begin, and until a worker begins it. */
function waitsBetween(
  root: Span,
  { before, next, logId }: { before: Attempt | undefined; next: Attempt; logId: string },
): Span[] {
  const named = { logId, next: next.attempt };
  // The end of one that was not kept is not known.
  if (before !== undefined && before.attempt !== next.attempt - 1) return [];
  if (before === undefined) {
    if (next.attempt > 1 && next.dueAt !== undefined) return [];
    const times = { startedAt: root.startedAt, endedAt: next.startedAt };
    return [waitSpan(root, { ...named, kind: "queue" }, times)];
  }
  const left = before.endedAt ?? next.startedAt;
  const due = Math.max(left, next.dueAt ?? left);
  const kind = kindAfter(before);
  const until = { startedAt: left, endedAt: Math.min(due, next.startedAt) };
  const queued = { startedAt: due, endedAt: Math.max(due, next.startedAt) };
  return [
    ...(kind === undefined ? [] : [waitSpan(root, { ...named, kind }, until)]),
    waitSpan(root, { ...named, kind: "queue" }, queued),
  ];
}

/** What a run without a worker waits for, or did until it was ended. */
function waitsAfter(
  root: Span,
  { run, last }: { run: TracedRun; last: Attempt | undefined },
): Span[] {
  const named = { logId: run.logId, next: run.attempt + 1 };
  const startedAt = last?.endedAt ?? root.startedAt;
  const isQueued = last === undefined || last.end === "handed_back" || run.status === "waiting";
  const kind = isQueued ? "queue" : kindAfter(last);
  if (kind === undefined) return [];
  const span = waitSpan(root, { ...named, kind }, { startedAt, endedAt: null });
  return [root.endedAt === null ? span : { ...span, status: "cancelled" }];
}

/** What follows an attempt until the next may begin; the calls of a suspended turn say it themselves. */
function kindAfter({ end }: Attempt): "backoff" | "wait" | undefined {
  if (end === "lost") return "backoff";
  return end === "refused" ? "wait" : undefined;
}
