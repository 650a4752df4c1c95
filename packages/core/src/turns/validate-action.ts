import { actions, functionApprovals, messages, type Queryable } from "@parley/db";
import { ParleyError, type Success, type ValidateAction } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import { findAgentVersions } from "../agents/agents.ts";
import type { ActionRow, ConversationRow, MessageRow } from "../data-access/rows.ts";
import { checkInput, type CheckedInput } from "../functions/check-values.ts";
import type { SandboxFunction } from "../functions/sandbox-functions.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { insertInvocation } from "../invocations/write-invocations.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";
import { renderAction } from "../messages/render-messages.ts";
import { hastenTurn, wakeTurns } from "../runs/suspend-turns.ts";
import { CALL_MS, callStatus, endedWith, writeEnds } from "./function-calls.ts";
import { findCalledFunctions, readAskedBy } from "./turn-functions.ts";

interface Decision extends ValidateAction {
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
      await approve(context, transaction, { message, ownerId, action, decision, called });
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

/** An agent's message, and who owns its conversation. */
type Answer = Pick<ConversationRow, "ownerId"> & { readonly message: MessageRow };

async function requireAnswer(context: KeyedContext, { cId, mId }: Decision): Promise<Answer> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, cId);
  const [message] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.sid, mId), eq(messages.conversationId, conversation.id)));
  if (message !== undefined) return { message, ownerId: conversation.ownerId };
  throw new ParleyError("message_not_found", "The conversation has no such message");
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

interface CalledFunction {
  readonly sandboxFunction: SandboxFunction;
  readonly input: CheckedInput;
}

/**
 * The function of an approved call, and its input, checked before the transaction, which must not wait
 * for a thread. Undefined if the function no longer exists.
 */
async function prepareCall(
  context: KeyedContext,
  { message, input }: { message: MessageRow; input: Decision },
): Promise<CalledFunction | undefined> {
  if (input.approved === "rejected") return undefined;
  const { db } = context.database;
  const { workspaceId } = message;
  const { toolName, params } = await requireAction(db, message, input.actionId);
  const functions = await findCalledFunctions(db, workspaceId, [toolName]);
  const sandboxFunction = functions.get(toolName);
  if (sandboxFunction === undefined) return undefined;
  const { definition } = sandboxFunction;
  const options = { workspaceId, origin: "request", signal: context.signal } as const;
  return {
    sandboxFunction,
    input: await checkInput(context, { definition, input: params }, options),
  };
}

interface Approval extends Answer {
  readonly action: ActionRow;
  readonly decision: "approved" | "always_approved";
  readonly called: CalledFunction | undefined;
}

async function approve(
  context: KeyedContext,
  transaction: Transaction,
  { message, ownerId, action, decision, called }: Approval,
): Promise<void> {
  const { db } = transaction;
  const { toolName } = action;
  const now = context.now();
  const decided = { ...action, status: callStatus.running, decision, updatedAt: now };
  if (called === undefined) {
    const text = `The function ${toolName} is no longer there`;
    const ended = endedWith(decided, { status: "errored", text, now });
    return endCall(context, transaction, { message, action: ended });
  }
  await writeEnds(db, [decided]);
  const { userId, timezone } = await readAskedBy(db, message);
  await insertInvocation(context, transaction, {
    ...called,
    workspaceId: message.workspaceId,
    apiKeyId: null,
    ownerId,
    actionId: action.id,
    timezone,
  });
  await hastenTurn(db, message.sid, CALL_MS);
  if (decision === "approved" || userId === null) return;
  const approval = { userId, functionId: called.sandboxFunction.id, createdAt: now };
  await db.insert(functionApprovals).values(approval).onConflictDoNothing();
}

async function endCall(
  context: KeyedContext,
  { db, afterCommit }: Transaction,
  { message, action }: Pick<Approval, "message" | "action">,
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
