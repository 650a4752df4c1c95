import {
  claimTraceExports,
  type ClaimedRun,
  type Core,
  countEndedRuns,
  dropOrphan,
  endsCommittedUntil,
  endExport,
  type ExportPart,
  type ExportSubject,
  heldOfWorkspaces,
  readDestination,
  settleExport,
  type SettledExport,
  type TraceDestinationRow,
} from "@parley/core";
import { MAX_TRACE_BACKLOG_MS, type Trace } from "@parley/schema";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";
import type { DestinationTargets } from "./destination-targets.ts";
import { loadEncoder, type SpanOrigin, toEncodable } from "./encode-spans.ts";
import { readBatch } from "./export-batch.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { sampleTrace } from "./sample-trace.ts";
import { type Sent, sendSpans } from "./send-spans.ts";
import type { TraceMetrics } from "./trace-metrics.ts";

/** Exports of a workspace that a worker runs at once. */
const PER_WORKSPACE = 4;
/** Those to slow destinations leave their places to others. */
const KEEPS_PLACE_MS = 1000;
/** How much more than what is too old is skipped. */
const SKIPPED_ROOM_MS = 60_000;
/** Spans of one request. */
const MAX_REQUEST_SPANS = 512;

/** What exports need from their worker. */
export interface ExportServices {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly targets: DestinationTargets;
  readonly metrics: TraceMetrics;
  readonly origin: Omit<SpanOrigin, "workspaceId">;
  /** Whether the GenAI semantic conventions are followed. */
  readonly isGenAi: boolean;
  /** How long an end may be unwritten after the time that it has. */
  readonly commitMs?: number;
}

/** A part of what there is to send, as far as one batch holds it. */
interface Batch extends Pick<SettledExport, "place" | "isLast" | "skippedRuns"> {
  readonly part: ExportPart;
  readonly traces: readonly Trace[];
}

/** What is to be sent next: a sample that was asked for, runs that have ended, a period again. */
async function nextBatch(
  { core, commitMs }: ExportServices,
  destination: TraceDestinationRow,
): Promise<Batch | undefined> {
  const now = core.now();
  if (destination.isTestWanted) {
    return { part: "test", traces: [sampleTrace(now, destination.sid)], isLast: true };
  }
  const until = await endsCommittedUntil(core, commitMs);
  const live = await nextLive(core, destination, until);
  if (live !== undefined) return live;
  const { againFrom: at, againRunId, againTo } = destination;
  if (at === null || againTo === null) return undefined;
  const from = { at, runId: againRunId ?? 0 };
  const again = { from, until: Math.min(againTo - 1, until) };
  return { part: "again", ...(await readBatch(core, destination, again)) };
}

async function nextLive(
  core: Core,
  destination: TraceDestinationRow,
  until: number,
): Promise<Batch | undefined> {
  const from = { at: destination.exportedUntil, runId: destination.exportedRunId };
  const oldest = until - MAX_TRACE_BACKLOG_MS;
  if (from.at < oldest) {
    // Some room, so that one that stays as far behind does not skip a moment with each batch.
    const at = oldest + SKIPPED_ROOM_MS;
    const range = { workspaceId: destination.workspaceId, ...from, until: at };
    const skippedRuns = await countEndedRuns(core.database.db, range);
    const place = { at, runId: Number.MAX_SAFE_INTEGER };
    return { part: "live", traces: [], place, isLast: false, skippedRuns };
  }
  const batch = await readBatch(core, destination, { from, until });
  return batch.place === undefined ? undefined : { part: "live", ...batch };
}

/** Sends the spans of a batch, request after request, until one is to be sent again. */
async function send(
  { origin, isGenAi, targets, metrics }: ExportServices,
  { run, destination, traces }: Given,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { sendsContent } = destination;
  const spans = toEncodable(traces, {
    origin: { ...origin, workspaceId: run.workspaceSid ?? "" },
    naming: { isGenAi, sendsContent },
  });
  let sum: Sent | undefined;
  const target = spans.length === 0 ? undefined : targets.of(destination);
  if (target === undefined) return undefined;
  if ("error" in target) return { ...nothing, error: target.error, isRetryable: true };
  const encoder = await loadEncoder(target.encoding);
  for (let start = 0; start < spans.length; start += MAX_REQUEST_SPANS) {
    const part = spans.slice(start, start + MAX_REQUEST_SPANS);
    // oxlint-disable-next-line no-await-in-loop -- a destination gets one request at a time
    const sent = await sendSpans({ guard: target.guard, target, encoder }, part, signal);
    metrics.sent(sent);
    sum = {
      ...sent,
      accepted: sent.accepted + (sum?.accepted ?? 0),
      rejected: sent.rejected + (sum?.rejected ?? 0),
      error: sent.error ?? sum?.error ?? null,
    };
    if (sent.isRetryable) break;
  }
  return sum;
}

const nothing: Sent = { status: null, accepted: 0, rejected: 0, error: null, isRetryable: false };

interface Given {
  readonly run: ClaimedRun;
  readonly destination: TraceDestinationRow;
  readonly traces: readonly Trace[];
}

/** How a batch ends that was sent, or had nothing to send. */
function settledOf(
  { core }: ExportServices,
  { run, destination, ...batch }: Given & Batch,
  sent: Sent | undefined,
): SettledExport {
  const { part, place, isLast, skippedRuns } = batch;
  const shared = { run, destination, part, place, isLast };
  if (sent === undefined) return { ...shared, ...(skippedRuns !== undefined && { skippedRuns }) };
  const { status, error, accepted, rejected, isRetryable, retryAfterMs } = sent;
  const attempt = { status, error };
  // A sample is sent once. Of a batch that is sent again, nothing counts yet.
  if (isRetryable && part !== "test") {
    const { failures } = destination;
    const againAfterMs = retryDelayMs(failures, { random: core.random, retryAfterMs });
    return { ...shared, attempt, againAfterMs };
  }
  if (part === "test") return { ...shared, attempt };
  const isFailing = accepted === 0 && rejected > 0;
  return { ...shared, attempt, sentSpans: accepted, rejectedSpans: rejected, isFailing };
}

/** Sends what there is to send, batch after batch: `succeeded`, or `suspended` until its next attempt. */
async function execute(
  services: ExportServices,
  { run, subject }: { run: ClaimedRun; subject: ExportSubject },
  signal: AbortSignal,
): Promise<string> {
  const { core, persistence, targets } = services;
  const persist = <T>(work: () => Promise<T>) => persistence.retry(run, signal, work);
  for (;;) {
    // oxlint-disable no-await-in-loop -- a batch begins where the one before has ended
    const destination = await persist(() => readDestination(core.database.db, subject.id));
    const isOn = destination?.isEnabled === true && targets.has(destination);
    const batch = isOn ? await persist(() => nextBatch(services, destination)) : undefined;
    if (destination === undefined || batch === undefined) {
      await persist(() => endExport(core, run));
      return "succeeded";
    }
    const given = { run, destination, ...batch };
    const settled = settledOf(services, given, await send(services, given, signal));
    await persist(() => settleExport(core, settled));
    if (settled.againAfterMs !== undefined) return "suspended";
    // oxlint-enable no-await-in-loop
  }
}

/** Runs that send traces to destinations. */
export function createExportRuns(services: ExportServices): RunKind {
  const { core, persistence } = services;
  return {
    perWorkspace: PER_WORKSPACE,
    keepsPlaceMs: KEEPS_PLACE_MS,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimTraceExports(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      // A claim gives it unless its destination was deleted.
      const subject = run.subject as ExportSubject | null;
      if (subject !== null) return execute(services, { run, subject }, signal);
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
