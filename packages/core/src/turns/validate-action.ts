import { functionApprovals, type Queryable, toolApprovals } from "@parley/db";
import { invalidRequest, type Success, type ValidateAction } from "@parley/schema";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { insertInvocation } from "../invocations/write-invocations.ts";
import { lockLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";
import { hastenTurn, wakeTurns } from "../runs/suspend-turns.ts";
import {
  type Answer,
  endCall,
  readAgentSid,
  refused,
  requireAction,
  requireAnswer,
} from "./decided-calls.ts";
import { CALL_MS, callStatus, endedWith, writeEnds } from "./function-calls.ts";
import { type Called, findCalled } from "./called.ts";
import { readAskedBy } from "./turn-functions.ts";
import { approvalKeyOf, approveForServer } from "./turn-tools.ts";

interface Decision extends Omit<ValidateAction, "params"> {
  readonly params?: ValidateAction["params"];
  readonly cId: string;
  readonly mId: string;
}

/**
 * Approves or denies a tool call that waits for approval. Repeating a decision changes nothing. Throws
 * `message_not_found`, and `invalid_request_error` for an unknown call, one that does not wait, and a
 * decision other than the one made before.
 */
export async function validateAction(context: KeyedContext, input: Decision): Promise<Success> {
  const { message, ownerId } = await requireAnswer(context, input);
  const called = await prepareCall(context, { message, input });
  return inTransactionOnce(context, { id: input.actionId }, async (transaction) => {
    const { db, afterCommit } = transaction;
    // Calls are decided, settled and cancelled under the lock of their message's log.
    await lockLogs(db, [message.sid]);
    const action = await requireAction(db, message, input.actionId);
    if (action.decision === input.approved) return { success: true };
    if (action.decision !== null) throw refused(`the call was ${named[action.decision]} before`);
    if (action.status !== callStatus.blocked) {
      throw refused(`the call does not wait for approval: it is ${action.status}`);
    }
    if (input.approved === "rejected") {
      const text = "The user has denied the call";
      const end = { status: "denied", text, now: context.now() } as const;
      const decided = { ...action, decision: input.approved };
      await endCall(context, transaction, { message, action: endedWith(decided, end) });
    } else {
      const { approved: decision } = input;
      const decided = { ...action, params: input.params ?? action.params };
      await approve(context, transaction, { message, ownerId, action: decided, decision, called });
    }
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
}

/** Replays a decision. */
export async function replayValidateAction(
  context: KeyedContext,
  input: Decision,
): Promise<Success> {
  await requireAnswer(context, input);
  return { success: true };
}

const named = {
  approved: "approved",
  rejected: "rejected",
  always_approved: "approved for good",
} as const;

/**
 * What an approved call starts, with its input checked before the transaction, which must not wait for a
 * thread. Undefined if it no longer exists.
 */
async function prepareCall(
  context: KeyedContext,
  { message, input }: { message: MessageRow; input: Decision },
): Promise<Called | undefined> {
  const { approved, params } = input;
  if (approved === "rejected") {
    if (params === undefined) return undefined;
    throw invalidRequest("body", [{ path: "params", message: "goes with an approval only" }]);
  }
  const { db } = context.database;
  const action = await requireAction(db, message, input.actionId);
  const { threads, signal } = context;
  const options = { workspaceId: message.workspaceId, origin: "request", signal } as const;
  const stored = { ...action, params: params ?? action.params };
  const called = await findCalled({ db, threads, now: context.now }, stored, options);
  const fault = params && called?.input.error;
  if (fault) throw invalidRequest("body", [{ path: "params", message: fault.message }]);
  return called;
}

interface Approval extends Answer {
  readonly action: ActionRow;
  readonly decision: "approved" | "always_approved";
  readonly called: Called | undefined;
}

async function approve(
  context: KeyedContext,
  transaction: Transaction,
  { message, ownerId, action, decision, called }: Approval,
): Promise<void> {
  const { db } = transaction;
  const now = context.now();
  const decided = { ...action, status: callStatus.running, decision, updatedAt: now };
  if (called === undefined) {
    const text = `The function ${action.functionCallName} is no longer there`;
    const ended = endedWith(decided, { status: "errored", text, now });
    return endCall(context, transaction, { message, action: ended });
  }
  await writeEnds(db, [decided]);
  const { userId, timezone } = await readAskedBy(db, message);
  await insertInvocation(context, transaction, {
    sandboxFunction: called.sandboxFunction,
    input: called.input,
    workspaceId: message.workspaceId,
    apiKeyId: null,
    ownerId,
    actionId: action.id,
    timezone,
  });
  await hastenTurn(db, message.sid, CALL_MS);
  if (decision === "approved" || userId === null) return;
  await approveForGood(db, { message, userId, called, now });
}

/** Keeps that calls of this kind need no further approval of the user. */
async function approveForGood(
  db: Queryable,
  approval: { message: MessageRow; userId: number; called: Called; now: number },
): Promise<void> {
  const { message, userId, called, now } = approval;
  if (called.tool === undefined) {
    const row = { userId, functionId: called.sandboxFunction.id, createdAt: now };
    await db.insert(functionApprovals).values(row).onConflictDoNothing();
    return;
  }
  await approveForServer(db, called.tool);
  const agentSid = await readAgentSid(db, message);
  const key = approvalKeyOf(called.tool, { stake: called.stake, agentSid });
  if (key === undefined) return;
  const row = { ...key, userId, createdAt: now };
  await db.insert(toolApprovals).values(row).onConflictDoNothing();
}
