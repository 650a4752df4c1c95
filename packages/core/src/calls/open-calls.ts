/** Tool calls that have not ended, with what runs for them. */
import { actions, invocations, type Queryable, sandboxFunctions } from "@parley/db";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow, InvocationRow } from "../data-access/rows.ts";
import { type CancelledInvocation, cancelInvocations } from "../invocations/cancel-invocation.ts";
import type { Transaction } from "../log/transaction.ts";
import {
  APPROVAL_MS,
  CALL_MS,
  callStatus,
  endCalls,
  endedWith,
  openStatuses,
  waitsForUser,
} from "./call-states.ts";

/** A tool call that has not ended, with its invocation if there is one. */
export interface OpenCall {
  readonly action: ActionRow;
  readonly invocation: InvocationRow | null;
  readonly functionSid: string | null;
}

/** Whether a call may be one that has a task: it runs, and nothing else runs for it. */
export function mayBeTask({ action, invocation }: OpenCall): boolean {
  return action.status === callStatus.running && invocation === null;
}

/** When the turn continues without the call, in milliseconds since the epoch. */
export function deadlineOf({ action, invocation }: OpenCall): number {
  const { status } = action;
  const waits = invocation === null || waitsForUser(status) || status === callStatus.needsOutput;
  return waits ? action.createdAt + APPROVAL_MS : action.updatedAt + CALL_MS;
}

/** The calls of agent messages that have not ended, in order. */
export async function readOpenCalls(
  db: Queryable,
  messageIds: readonly number[],
): Promise<OpenCall[]> {
  if (messageIds.length === 0) return [];
  return db
    .select({ action: actions, invocation: invocations, functionSid: sandboxFunctions.sid })
    .from(actions)
    .leftJoin(invocations, eq(invocations.actionId, actions.id))
    .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(
      and(inArray(actions.messageId, [...messageIds]), inArray(actions.status, [...openStatuses])),
    )
    .orderBy(asc(actions.messageId), asc(actions.step), asc(actions.position));
}

/** The ids of the running invocations of agent messages. */
export async function readRunningCalls(
  db: Queryable,
  messageIds: readonly number[],
): Promise<string[]> {
  return runningOf(await readOpenCalls(db, messageIds)).map(({ sid }) => sid);
}

/** Those calls whose invocation runs, as `cancelInvocations` takes them. */
export function runningOf(calls: readonly OpenCall[]): CancelledInvocation[] {
  return calls.flatMap(({ invocation, functionSid }) =>
    invocation?.status === "created" ? { sid: invocation.sid, functionSid: functionSid ?? "" } : [],
  );
}

/**
 * Ends the open calls of agent messages that are ended, and cancels their invocations, in the
 * transaction that has locked the messages' logs. Gives whether any may have a task, which others end.
 */
export async function closeCalls(
  core: Pick<Process, "now">,
  transaction: Transaction,
  messageIds: readonly number[],
): Promise<boolean> {
  const { db } = transaction;
  const open = await readOpenCalls(db, messageIds);
  await cancelInvocations(core, transaction, runningOf(open));
  const end = { status: "errored", text: "The message was cancelled", now: core.now() } as const;
  await endCalls(
    db,
    open.map(({ action }) => endedWith(action, end)),
  );
  return open.some(mayBeTask);
}
