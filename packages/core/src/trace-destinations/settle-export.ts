import { logs, runs, traceDestinations } from "@parley/db";
import { eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { suspendFor } from "../runs/suspend-for.ts";
import type { TraceDestinationRow } from "./destination-rows.ts";
import type { ExportPlace } from "./ended-runs.ts";

/** What a batch sent: runs that have just ended, a period again, or a sample. */
export type ExportPart = "live" | "again" | "test";

/** How a batch of an export ended. */
export interface SettledExport {
  readonly run: ClaimedRun;
  /** The destination as the batch read it. */
  readonly destination: TraceDestinationRow;
  readonly part: ExportPart;
  /** Up to where its runs were sent; undefined for a period that has ended, and if nothing was. */
  readonly place?: ExportPlace | undefined;
  /** Whether nothing is left of the part. */
  readonly isLast: boolean;
  readonly sentSpans?: number;
  readonly rejectedSpans?: number;
  readonly skippedRuns?: number;
  /** What the destination answered; undefined if nothing was sent. */
  readonly attempt?: { readonly status: number | null; readonly error: string | null } | undefined;
  /** Whether the destination refused all that was sent. */
  readonly isFailing?: boolean;
  /** After which time a batch that failed is tried again. */
  readonly againAfterMs?: number | undefined;
}

/**
 * Ends a batch: the place of the destination and what became of the batch commit together, so that a crash before sends
 * it again, with the same ids, and one after sends the next. Throws `LostLease`.
 */
export async function settleExport(core: Process, settled: SettledExport): Promise<void> {
  const { run, destination, part, attempt, againAfterMs } = settled;
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    const [row] = await db
      .select()
      .from(traceDestinations)
      .where(eq(traceDestinations.id, destination.id))
      .for("no key update");
    if (row === undefined) return;
    const now = core.now();
    const hasFailed = againAfterMs !== undefined;
    const isWell = !hasFailed && attempt !== undefined && settled.isFailing !== true;
    const isTest = part === "test";
    await db
      .update(traceDestinations)
      .set({
        ...(!hasFailed && movedOn(row, settled)),
        ...(isTest && { isTestWanted: false }),
        sentSpans: row.sentSpans + (settled.sentSpans ?? 0),
        rejectedSpans: row.rejectedSpans + (settled.rejectedSpans ?? 0),
        skippedRuns: row.skippedRuns + (settled.skippedRuns ?? 0),
        ...(attempt !== undefined && { lastAttempt: { at: now, ...attempt, isTest } }),
        ...(hasFailed && { failures: row.failures + 1 }),
        ...((hasFailed || settled.isFailing === true) && { failingSince: row.failingSince ?? now }),
        ...(isWell && (!isTest || attempt.error === null) && { failingSince: null, failures: 0 }),
      })
      .where(eq(traceDestinations.id, row.id));
    if (hasFailed) await suspendFor(db, { logId: run.logId, delayMs: againAfterMs });
  });
}

/** Where a destination is after a batch, unless it was changed in the meantime to continue elsewhere. */
function movedOn(
  row: TraceDestinationRow,
  { destination, part, place, isLast }: SettledExport,
): Partial<TraceDestinationRow> {
  if (part === "live" && place !== undefined) {
    const isMoved =
      row.exportedUntil !== destination.exportedUntil ||
      row.exportedRunId !== destination.exportedRunId;
    return isMoved ? {} : { exportedUntil: place.at, exportedRunId: place.runId };
  }
  if (part !== "again" || row.againFrom !== destination.againFrom) return {};
  if (row.againRunId !== destination.againRunId || row.againTo !== destination.againTo) return {};
  if (isLast) return { againFrom: null, againRunId: null, againTo: null };
  return place === undefined ? {} : { againFrom: place.at, againRunId: place.runId };
}

/** Ends an export that has nothing more to send, with its run and its log. Throws `LostLease`. */
export async function endExport(core: Process, run: ClaimedRun): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    await db.delete(logs).where(eq(logs.id, run.logId));
    await db.delete(runs).where(eq(runs.logId, run.logId));
  });
}
