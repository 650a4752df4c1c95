/** What decisions about calls share: approvals, and answers to questions. */
import { actions, type DecidedCall, messages, type Queryable } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context, Process } from "../context.ts";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import type { Transaction } from "../log/transaction.ts";
import { endCalls, renderEnd } from "./call-states.ts";
import { type CallingTurn, readAgent } from "./calling-turn.ts";
import { announceDecided, type TaskRoot } from "./task-path.ts";

/** An agent's message, with its conversation. */
type Answer = Pick<CallingTurn, "message" | "conversation">;

/** The answer that a request names, in a conversation that the caller reaches. */
export async function requireAnswer(
  context: Context,
  { cId, mId }: { cId: string; mId: string },
): Promise<Answer> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, cId);
  const [message] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.sid, mId), eq(messages.conversationId, conversation.id)));
  if (message !== undefined) return { message, conversation };
  throw new ParleyError("message_not_found", "The conversation has no such message");
}

/** A call of a message. Throws `invalid_request_error` for an unknown one. */
export async function requireAction(
  db: Queryable,
  message: MessageRow,
  sid: string,
): Promise<ActionRow> {
  const [action] = await db
    .select()
    .from(actions)
    .where(and(eq(actions.sid, sid), eq(actions.messageId, message.id)));
  if (action === undefined) throw refuseDecision("the message has no such call");
  return action;
}

/** Refuses a decision about a call, which the request names at a path. */
export function refuseDecision(why: string, path = "actionId"): ParleyError {
  return new ParleyError("invalid_request_error", `Invalid request body: ${path}: ${why}`);
}

/** Who decides now. */
export const decidedBy = ({ caller, now }: Context): DecidedCall => ({
  by: caller.user.fullName,
  at: now(),
});

/** Who decided about a call and when, in words; empty if that was not stored. */
export const describeDecided = ({ decided }: ActionRow): string =>
  decided === null ? "" : `, by ${decided.by} at ${new Date(decided.at).toISOString()}`;

interface Decided {
  readonly message: MessageRow;
  /** Of a task, where it is told of; its log is locked too. */
  readonly root: TaskRoot | undefined;
  readonly ended: readonly ActionRow[];
}

/** Ends calls of a message that are decided about, and announces that in their order. */
export async function endDecided(
  { now }: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  { message, root, ended }: Decided,
): Promise<void> {
  await endCalls(db, ended, afterCommit);
  const { sid: messageId } = message;
  const shared = { created: now(), configurationId: (await readAgent(db, message)).sid, messageId };
  const own = { logId: messageId, events: ended.map((action) => renderEnd(action, shared)) };
  const told = root === undefined ? [] : [announceDecided(root, ended, shared.created)];
  await appendEvents(db, [own, ...told], afterCommit);
}
