import { invocations, runs } from "@parley/db";
import type { InvocationError, InvokedSandboxFunction } from "@parley/schema";
import { eq, inArray } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { appendEvents } from "../log/append.ts";
import { fenceLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";
import { wakeTurnsOf } from "../runs/suspend-turns.ts";
import { cancelClientRequests } from "../tools/client-requests.ts";
import {
  errorEvent,
  type InvocationReference,
  renderInvoked,
  renderOutcome,
  requireInvocation,
} from "./read-invocations.ts";

/** Cancels an invocation and gives its outcome; one that has ended stays as it ended. */
export async function cancelInvocation(
  context: KeyedContext,
  input: InvocationReference,
): Promise<InvokedSandboxFunction> {
  const { row, sandboxFunction } = await requireInvocation(context, input);
  return inTransactionOnce(context, { id: row.sid }, async (transaction) => {
    const ofFunction = { sid: row.sid, functionSid: sandboxFunction.sid };
    await cancelInvocations(context, transaction, [ofFunction]);
    const [ended] = await transaction.db
      .select()
      .from(invocations)
      .where(eq(invocations.id, row.id));
    if (ended === undefined)
      throw new Error("The invocation was deleted while it was being cancelled");
    return renderInvoked(ended, sandboxFunction.sid, renderOutcome(ended));
  });
}

/** An invocation to cancel, with the id of its function. */
export interface CancelledInvocation {
  readonly sid: string;
  readonly functionSid: string;
}

/**
 * Ends the invocations that have not ended, in a transaction of the caller's: terminal event, row and
 * run. Their workers stop after the commit, and the turns that waited for them continue. Gives the ids
 * of those that ended here. A caller that locks other logs too locks them all before, in the order of
 * their ids.
 */
export async function cancelInvocations(
  core: Pick<Process, "now">,
  { db, afterCommit }: Pick<Transaction, "db" | "afterCommit">,
  cancelled: readonly CancelledInvocation[],
): Promise<Set<string>> {
  const fences = await fenceLogs(
    db,
    cancelled.map(({ sid }) => sid),
  );
  if (fences.size === 0) return new Set();
  const now = core.now();
  const error: InvocationError = { code: "cancelled", message: "The invocation was cancelled" };
  const written = await appendEvents(
    db,
    cancelled
      .filter(({ sid }) => fences.has(sid))
      .map(({ sid, functionSid }) => ({
        logId: sid,
        events: [errorEvent({ sid, functionSid }, now, error)],
        guard: { logId: sid, fence: fences.get(sid)! },
      })),
    afterCommit,
  );
  const logIds = [...written.keys()];
  await db
    .update(invocations)
    .set({ status: "errored", error, finishedAt: now })
    .where(inArray(invocations.sid, logIds));
  await db
    .update(runs)
    .set({ status: "finished", leaseUntil: null, finishedAt: now, outcome: "cancelled" })
    .where(inArray(runs.logId, logIds));
  afterCommit.push({ topic: "runs", cause: "ended", logIds });
  await wakeTurnsOf(db, logIds, afterCommit);
  const cancelledRequests = { ids: logIds, reason: error.message };
  await cancelClientRequests(core, { db, afterCommit }, cancelledRequests);
  return new Set(logIds);
}
