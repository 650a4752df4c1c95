import { invocations, runs, type Queryable } from "@parley/db";
import type { InvocationError, InvokedSandboxFunction } from "@parley/schema";
import { eq, inArray } from "drizzle-orm";
import type { Context, Core, Transaction } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { seizeLogs } from "./events/seize.ts";
import { inTransactionOnce } from "./idempotency.ts";
import { renderInvoked, renderOutcome } from "./render-invocation.ts";
import type { InvocationRow } from "./rows.ts";
import { wakeTurnsOf } from "./runs/parked-turns.ts";
import {
  getInvocation,
  type InvocationReference,
  requireInvocation,
} from "./stored-invocations.ts";

/** Cancels an invocation and gives its outcome; one that has ended stays as it ended. */
export async function cancelInvocation(
  context: Context,
  input: InvocationReference,
): Promise<InvokedSandboxFunction> {
  const { row, sandboxFunction } = await requireInvocation(context, input);
  return inTransactionOnce(context, row.sid, async (transaction) => {
    const ofFunction = { sid: row.sid, functionSid: sandboxFunction.sid };
    await cancelInvocations(context, transaction, [ofFunction]);
    const ended = await readRow(transaction.db, row);
    return renderInvoked(ended, sandboxFunction.sid, renderOutcome(ended));
  });
}

/** Answers a cancel that was asked for again: nothing more is cancelled. */
export async function replayCancelInvocation(
  context: Context,
  input: InvocationReference,
): Promise<InvokedSandboxFunction> {
  return getInvocation(context, input);
}

async function readRow(db: Queryable, { id }: InvocationRow): Promise<InvocationRow> {
  const [row] = await db.select().from(invocations).where(eq(invocations.id, id));
  if (row === undefined) throw new Error("The invocation is gone");
  return row;
}

/** An invocation to cancel, with the id of its function. */
export interface CancelledInvocation {
  readonly sid: string;
  readonly functionSid: string;
}

/**
 * Ends the invocations that have not ended, in a transaction of the caller's: terminal event, row and
 * run; their workers stop after the commit, and the turns that waited for them go on. The result holds the ids of those that ended here. Who
 * locks other logs too locks them before, in the order of all ids.
 */
export async function cancelInvocations(
  core: Pick<Core, "now">,
  { db, afterCommit }: Pick<Transaction, "db" | "afterCommit">,
  cancelled: readonly CancelledInvocation[],
): Promise<Set<string>> {
  const fences = await seizeLogs(
    db,
    cancelled.map(({ sid }) => sid),
  );
  if (fences.size === 0) return new Set();
  const now = core.now();
  const error: InvocationError = { code: "cancelled", message: "The invocation was cancelled" };
  const ended = await appendEvents(
    db,
    cancelled
      .filter(({ sid }) => fences.has(sid))
      .map(({ sid, functionSid }) => ({
        logId: sid,
        events: [
          {
            type: "sandbox_function_invocation_error" as const,
            created: now,
            invocationId: sid,
            functionId: functionSid,
            error,
          },
        ],
        guard: { logId: sid, fence: fences.get(sid)! },
      })),
    afterCommit,
  );
  const logIds = [...ended];
  await db
    .update(invocations)
    .set({ status: "errored", error, finishedAt: now })
    .where(inArray(invocations.sid, logIds));
  await db
    .update(runs)
    .set({ status: "finished", leaseUntil: null })
    .where(inArray(runs.logId, logIds));
  afterCommit.push({ topic: "runs", cause: "ended", logIds });
  await wakeTurnsOf(db, logIds, afterCommit);
  return ended;
}
