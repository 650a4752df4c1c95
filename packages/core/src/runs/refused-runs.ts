/**
 * Invocations that a server has refused without running them: their runs are suspended until their user has allowed
 * more, and then have one more attempt. `max_attempts` stays as it is, since 1 says of a run that it may run once;
 * the attempt is given by the outcome `refused`, which a run has that has not ended.
 */
import { type Queryable, runs, statement } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import type { Hint } from "../log/bus.ts";
import { endedAttempt } from "./attempt-history.ts";
import type { HeldLog } from "./leases.ts";

/** Whether a server has refused the call of a run before. */
export async function wasRefused(db: Queryable, { logId }: HeldLog): Promise<boolean> {
  const [run] = await db.select({ outcome: runs.outcome }).from(runs).where(eq(runs.logId, logId));
  return run?.outcome === "refused";
}

// As with turns, the attempt may append nothing more.
const suspendStatement = statement<{ logId: string; attempt: number; delayMs: number }>(
  "suspend_refused",
  sql`
  with left_log as (
    update logs set fence = fence + 1 where id = ${sql.placeholder("logId")}
  )
  update runs set status = 'suspended', outcome = 'refused', attempts = ${endedAttempt("refused")}, worker_id = null, lease_until = null,
    run_after = now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond'
  where log_id = ${sql.placeholder("logId")} and status = 'running'
    and attempt = ${sql.placeholder("attempt")}`,
);

/** Suspends the run of a refused call for at most `delayMs`, in the transaction that has locked its log. */
export async function suspendRefused(
  db: Queryable,
  { logId, attempt }: HeldLog,
  delayMs: number,
): Promise<void> {
  await suspendStatement.execute(db, { logId, attempt, delayMs });
}

/** Makes the suspended run of a refused call claimable. */
export async function resumeRefused(db: Queryable, logId: string, hints: Hint[]): Promise<void> {
  await db
    .update(runs)
    .set({ status: "waiting", runAfter: sql`now()` })
    .where(and(eq(runs.logId, logId), eq(runs.status, "suspended")));
  hints.push({ topic: "runs", cause: "added", kind: "invocation" });
}
