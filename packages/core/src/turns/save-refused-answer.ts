import { messages, type StoredStep } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { appendEvents } from "../log/append.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { lostLease, readHeldLog } from "../runs/leases.ts";
import { type WrittenSteps, writeSteps } from "./write-steps.ts";

/** A step whose answer was not accepted: its text stays with its usage, and is not published. */
export interface RefusedAnswer extends Omit<WrittenSteps, "logId" | "steps"> {
  readonly run: ClaimedRun;
  readonly step: number;
  /** Events that were not yet written. */
  readonly events: readonly MessageEvent[];
  /** Number of the event before them, so that none can follow a gap; the log's last by default. */
  readonly lastSeq?: number;
  /** The usage of each step so far, this one last. */
  readonly steps: readonly StoredStep[];
}

/**
 * Writes a step whose answer was not accepted, so that a takeover continues with its repair and its usage counts
 * once. Gives where the run's log then ends. A step that the attempt has already saved without being notified stays
 * as it is. Throws `LostLease`.
 */
export async function saveRefusedAnswer(core: Process, refused: RefusedAnswer): Promise<number> {
  const { run, step, events, lastSeq } = refused;
  return inTransaction(core, async ({ db, afterCommit }) => {
    const ofMessage = eq(messages.sid, run.logId);
    // Under the lock nobody takes the run over.
    const heldSeq = await readHeldLog(db, run, { isLocked: true });
    const [before] = await db.select({ steps: messages.steps }).from(messages).where(ofMessage);
    if (before?.steps?.some((saved) => saved.step === step) === true) return heldSeq;
    const guard = { logId: run.logId, fence: run.attempt, lastSeq };
    const appends = [{ logId: run.logId, events, guard }];
    const written = await appendEvents(db, appends, afterCommit);
    const end = events.length === 0 ? heldSeq : written.get(run.logId);
    if (end === undefined) throw lostLease(run);
    await writeSteps(db, { ...refused, logId: run.logId });
    return end;
  });
}
