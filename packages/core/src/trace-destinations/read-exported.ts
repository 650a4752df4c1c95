import { conversationSummaries, type Queryable, runs, workspaces } from "@parley/db";
import type { Span, Trace } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { RunRow } from "../data-access/rows.ts";
import { deriveSpans } from "../traces/derive-spans.ts";
import { readTraced } from "../traces/read-traced.ts";
import { spanId, traceOf } from "../runs/span-ids.ts";
import type { TraceDestinationRow } from "./destination-rows.ts";
import type { EndedRun } from "./ended-runs.ts";
import { isSampled } from "./sample-traces.ts";

/**
 * What a destination is sent of a run that has ended: the spans of its trace which have ended, and which no other run is
 * sent with. A call's invocation is in its answer's trace; a summary ends after the answer that started it, in whose trace
 * it is. Undefined for a run that is not sampled, or deleted.
 */
export async function readExportedTrace(
  db: Queryable,
  destination: TraceDestinationRow,
  ended: EndedRun,
): Promise<Trace | undefined> {
  if (ended.isOfCall) return undefined;
  const answerRun = ended.kind === "compaction" ? await readAnswerRun(db, ended) : undefined;
  const owner = answerRun ?? ended;
  const { traceId } = traceOf(owner.logId, owner.traceparent);
  const isChosen = [ended, ...(answerRun === undefined ? [] : [answerRun])].some((run) =>
    isSampled(destination, { ...run, traceId, finishedAt: run.finishedAt ?? run.createdAt }),
  );
  if (!isChosen) return undefined;
  const run = answerRun ?? (await readRun(db, ended.logId));
  const traced = run && (await readTraced(db, run));
  if (run === undefined || traced === undefined) return undefined;
  const trace = deriveSpans(traced, {
    currency: await readCurrency(db, destination.workspaceId),
    providerWords: run.providerError?.message,
    traceparent: run.traceparent,
  });
  return { ...trace, spans: exportedSpans(trace.spans, ended) };
}

async function readRun(db: Queryable, logId: string): Promise<RunRow | undefined> {
  const [run] = await db.select().from(runs).where(eq(runs.logId, logId));
  return run;
}

/** The run of the answer whose end started a summary. */
async function readAnswerRun(db: Queryable, { logId }: EndedRun): Promise<RunRow | undefined> {
  const [row] = await db
    .select({ run: runs })
    .from(conversationSummaries)
    .innerJoin(runs, eq(runs.logId, conversationSummaries.answerId))
    .where(eq(conversationSummaries.sid, logId));
  return row?.run;
}

async function readCurrency(db: Queryable, workspaceId: number): Promise<string | undefined> {
  const [row] = await db
    .select({ currency: workspaces.currency })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return row?.currency;
}

/** The ended spans of a run within its trace: of a summary its own, and of others all but those of summaries. */
function exportedSpans(spans: readonly Span[], { kind, logId }: EndedRun): Span[] {
  const rootOf = new Map<string, Span>();
  // Parents come first.
  for (const span of spans) rootOf.set(span.id, rootOf.get(span.parentId ?? "") ?? span);
  const summary = spanId(logId, "compaction");
  return spans.filter(({ id, endedAt }) => {
    const root = rootOf.get(id);
    if (endedAt === null || root === undefined) return false;
    return kind === "compaction" ? root.id === summary : root.kind !== "compaction";
  });
}
