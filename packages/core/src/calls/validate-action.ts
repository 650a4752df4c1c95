import type { Queryable } from "@parley/db";
import { canonicalJson, invalidRequest, type Success, type ValidateAction } from "@parley/schema";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { cancelInvocations } from "../invocations/cancel-invocation.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { hastenTurn, wakeTurns } from "../runs/suspend-turns.ts";
import { NO_USER, readAccess } from "./allowed-calls.ts";
import { CALL_MS, callStatus, endedWith, startCalls } from "./call-states.ts";
import { readAskedBy } from "./calling-turn.ts";
import {
  decidedBy,
  describeDecided,
  endDecided,
  refuseDecision,
  requireAction,
  requireAnswer,
} from "./decided-calls.ts";
import { approveForGood } from "./lasting-approvals.ts";
import { type OpenCall, readOpenCalls, runningOf } from "./open-calls.ts";
import { describeGone, type PreparedCall, prepareStoredCall } from "./prepared-calls.ts";
import { announceDecided, readTaskRoot } from "./task-path.ts";
import { askForPermission } from "./waiting-calls.ts";

interface Decision extends Omit<ValidateAction, "params"> {
  readonly params?: ValidateAction["params"];
  readonly cId: string;
  readonly mId: string;
}

/**
 * Approves or denies a tool call that waits for approval. Repeating a decision changes nothing. Throws
 * `message_not_found`, and `invalid_request_error` for an unknown call, one that does not wait, and a
 * decision other than the one made before, or with other parameters.
 */
export async function validateAction(context: KeyedContext, input: Decision): Promise<Success> {
  const answer = await requireAnswer(context, input);
  const { message } = answer;
  const call = await prepareApprovedCall(context, { message, input });
  return inTransactionOnce(context, { id: input.actionId }, async (transaction) => {
    const { db, afterCommit } = transaction;
    const asked = await readAskedBy(db, message);
    const access = call && (await readAccess(db, asked.userId, [call]))(call);
    // Calls are decided, settled and cancelled under the lock of their message's log.
    const waiting = await findRefusedCall(db, message, input);
    const root = await readTaskRoot(db, answer.conversation, message.sid);
    const told = root === undefined ? [] : [root.messageId];
    await lockLogs(db, [
      message.sid,
      ...told,
      ...(access === "not allowed" ? [input.cId, ...(root ? [root.conversationId] : [])] : []),
      ...waiting.map(({ sid }) => sid),
    ]);
    const action = await requireAction(db, message, input.actionId);
    if (action.decision === input.approved) {
      requireSameParams(action, input);
      return { success: true };
    }
    requireUndecided(action, input);
    if (input.approved === "rejected") {
      const text = "The user has denied the call";
      const end = { status: "denied", text, now: context.now() } as const;
      const decided = { ...action, decision: input.approved, decided: decidedBy(context) };
      await endDecided(context, transaction, { message, root, ended: [endedWith(decided, end)] });
      await cancelInvocations(context, transaction, waiting);
    } else {
      const { approved: decision } = input;
      const { params = action.params } = input;
      const isChanged = canonicalJson(params) !== canonicalJson(action.params);
      const by = { ...decidedBy(context), ...(isChanged && { proposed: action.params }) };
      const decided = { ...action, params, decision, decided: by };
      if (call === undefined || access === "no user") {
        const text = call === undefined ? describeGone(action.functionCallName) : NO_USER;
        const ended = endedWith(decided, { status: "errored", text, now: context.now() });
        await endDecided(context, transaction, { message, root, ended: [ended] });
      } else if (access === "not allowed") {
        const serverName = call.tool?.server.name ?? null;
        const { userSid } = asked;
        const unallowed = { ...answer, action: decided, serverName, userId: userSid, root };
        await askForPermission(context, transaction, unallowed);
      } else {
        const { timezone } = asked;
        const calls = [{ action: decided, prepared: call }];
        await startCalls(context, transaction, { turn: answer, timezone, calls });
        await hastenTurn(db, message.sid, CALL_MS);
        if (root !== undefined) {
          const started = [{ ...decided, status: callStatus.running }];
          await appendEvents(db, [announceDecided(root, started, context.now())], afterCommit);
        }
      }
      if (call !== undefined && decision === "always_approved" && asked.userId !== null) {
        await approveForGood(context, db, { message, call, userId: asked.userId });
      }
    }
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
}

/** The invocation of a rejected call that waits after its server has refused it. */
async function findRefusedCall(db: Queryable, { id }: MessageRow, input: Decision) {
  if (input.approved !== "rejected") return [];
  const isRejected = ({ action: { sid } }: OpenCall) => sid === input.actionId;
  return runningOf((await readOpenCalls(db, [id])).filter(isRejected));
}

const named = {
  approved: "approved",
  rejected: "rejected",
  always_approved: "always approved",
} as const;

/**
 * What an approved call starts, with its input checked before the transaction, which must not wait for a
 * thread. Undefined if it no longer exists.
 */
async function prepareApprovedCall(
  context: KeyedContext,
  { message, input }: { message: MessageRow; input: Decision },
): Promise<PreparedCall | undefined> {
  const { approved, params } = input;
  if (approved === "rejected") {
    if (params === undefined) return undefined;
    throw invalidRequest("body", [{ path: "params", message: "only allowed with an approval" }]);
  }
  const { db } = context.database;
  const action = await requireAction(db, message, input.actionId);
  const { threads, signal } = context;
  const options = { workspaceId: message.workspaceId, origin: "request", signal } as const;
  const stored = { ...action, params: params ?? action.params };
  const call = await prepareStoredCall({ db, threads, now: context.now }, stored, options);
  const fault = params && call?.input.error;
  if (fault) throw invalidRequest("body", [{ path: "params", message: fault.message }]);
  return call;
}

/** Throws `invalid_request_error` for an approval that a repeated one differs from in its parameters. */
function requireSameParams(action: ActionRow, { approved, params }: Decision): void {
  if (approved === "rejected") return;
  // Left out, they are those that the agent proposed.
  const effective = params ?? action.decided?.proposed ?? action.params;
  if (canonicalJson(effective) === canonicalJson(action.params)) return;
  throw refuseDecision(
    `the call was already ${named[approved]}${describeDecided(action)}, with other parameters`,
  );
}

/** Throws `invalid_request_error` for a call that does not wait for this decision. */
function requireUndecided(action: ActionRow, { approved }: Decision): void {
  const { decision, status } = action;
  const isDenied = approved === "rejected";
  // Who does not want to let a server be called says so like this.
  if (status === callStatus.needsPermission && isDenied) return;
  if (decision !== null) {
    throw refuseDecision(`the call was already ${named[decision]}${describeDecided(action)}`);
  }
  if (status === callStatus.needsApproval) return;
  throw refuseDecision(`the call does not wait for approval: it is ${status}`);
}
