import { actions, functionApprovals, messages, type Queryable } from "@parley/db";
import { ParleyError, type Success, type ValidateAction } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { findAgentVersions } from "./agents.ts";
import type { Context, Transaction } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { lockLogs } from "./events/seize.ts";
import { CALL_MS, callStatus, endedWith, writeEnds } from "./function-calls.ts";
import { inTransactionOnce } from "./idempotency.ts";
import { insertInvocation } from "./insert-invocations.ts";
import { renderAction } from "./messages.ts";
import type { ActionRow, MessageRow } from "./rows.ts";
import { hastenTurn, wakeTurns } from "./runs/parked-turns.ts";
import { requireConversation } from "./stored-conversations.ts";
import { findCalledFunctions, readAskedBy } from "./turn-functions.ts";

interface Decision extends ValidateAction {
  readonly cId: string;
  readonly mId: string;
}

/**
 * Decides about a tool call that waits for approval: it is invoked, or its model is told that it was
 * denied. The same decision again changes nothing. Throws `message_not_found`, and
 * `invalid_request_error` for an unknown call, one that does not wait, and another decision than the
 * one that was made.
 */
export async function validateAction(context: Context, input: Decision): Promise<Success> {
  const message = await requireAnswer(context, input);
  return inTransactionOnce(context, input.actionId, async (transaction) => {
    const { db, afterCommit } = transaction;
    // Who decides, settles or cancels the calls of a message does it under the lock of its log.
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
    } else await approve(context, transaction, { message, action, decision: input.approved });
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
}

/** Answers a decision that was sent again. */
export async function replayValidateAction(context: Context, input: Decision): Promise<Success> {
  await requireAnswer(context, input);
  return { success: true };
}

const named = {
  approved: "approved",
  rejected: "rejected",
  always_approved: "approved for good",
} as const;

async function requireAnswer(context: Context, { cId, mId }: Decision): Promise<MessageRow> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, cId);
  const [message] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.sid, mId), eq(messages.conversationId, conversation.id)));
  if (message === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such message");
  }
  return message;
}

async function requireAction(db: Queryable, message: MessageRow, sid: string): Promise<ActionRow> {
  const [action] = await db
    .select()
    .from(actions)
    .where(and(eq(actions.sid, sid), eq(actions.messageId, message.id)));
  if (action === undefined) throw refused("the message has no such call");
  return action;
}

function refused(why: string): ParleyError {
  return new ParleyError("invalid_request_error", `Invalid request body: actionId: ${why}`);
}

interface Approval {
  readonly message: MessageRow;
  readonly action: ActionRow;
  readonly decision: "approved" | "always_approved";
}

async function approve(
  context: Context,
  transaction: Transaction,
  { message, action, decision }: Approval,
): Promise<void> {
  const { db } = transaction;
  const { toolName, params } = action;
  const now = context.now();
  const decided = { ...action, status: callStatus.running, decision, updatedAt: now };
  const sandboxFunction = (await findCalledFunctions(db, message.workspaceId, [toolName])).get(
    toolName,
  );
  if (sandboxFunction === undefined) {
    const text = `The function ${toolName} is no longer there`;
    const ended = endedWith(decided, { status: "errored", text, now });
    return endCall(context, transaction, { message, action: ended });
  }
  await writeEnds(db, [decided]);
  const { userId, timezone } = await readAskedBy(db, message);
  await insertInvocation(context, transaction, {
    sandboxFunction,
    workspaceId: message.workspaceId,
    apiKeyId: null,
    actionId: action.id,
    input: params,
    timezone,
  });
  await hastenTurn(db, message.sid, CALL_MS);
  if (decision === "approved" || userId === null) return;
  const approval = { userId, functionId: sandboxFunction.id, createdAt: now };
  await db.insert(functionApprovals).values(approval).onConflictDoNothing();
}

async function endCall(
  context: Context,
  { db, afterCommit }: Transaction,
  { message, action }: Omit<Approval, "decision">,
): Promise<void> {
  await writeEnds(db, [action]);
  const agentId = message.agentId ?? 0;
  const agents = await findAgentVersions(db, message.workspaceId, [agentId]);
  const event = {
    type: "agent_action_success",
    created: context.now(),
    configurationId: agents.get(agentId)?.sid ?? "",
    messageId: message.sid,
    step: action.step,
    action: renderAction(action),
  } as const;
  await appendEvents(db, [{ logId: message.sid, events: [event] }], afterCommit);
}
