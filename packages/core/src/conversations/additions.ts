import { conversations, messages, type Queryable } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, desc, eq, sql } from "drizzle-orm";
import type { LockedConversation } from "../access/conversation-reach.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";
import type { Making } from "../idempotency.ts";
import { addToSize } from "../messages/conversation-size.ts";
import type { ConversationContext } from "./conversation-context.ts";

/** A message that is about to be written under this number. */
export function messageOf({ database }: ConversationContext, id = 0): Making {
  const isStored = async () => (await database.db.$count(messages, eq(messages.id, id))) > 0;
  return { id: String(id), isStored };
}

/** The position after the last message of a locked conversation. */
export async function nextRank(db: Queryable, conversation: ConversationRow): Promise<number> {
  const [last] = await db
    .select({ rank: sql<number>`coalesce(max(${messages.rank}) + 1, 0)`.mapWith(Number) })
    .from(messages)
    .where(eq(messages.conversationId, conversation.id));
  return last?.rank ?? 0;
}

/**
 * Counts what the caller adds, which is not unread to the caller. Throws `invalid_request_error` if
 * the conversation has no room for it.
 */
export async function touch(
  context: ConversationContext,
  db: Queryable,
  { row, added }: { row: LockedConversation; added: readonly MessageRow[] },
): Promise<void> {
  const path = "Invalid path parameters: cId";
  const size = addToSize(context.conversationLimits, row, { added, path });
  await db
    .update(conversations)
    .set({ ...size, updatedAt: context.now(), readAt: context.now() })
    .where(eq(conversations.id, row.id));
}

/** A message of the conversation by its id. Throws `message_not_found`. */
export async function requireMessage(
  db: Queryable,
  conversation: Pick<ConversationRow, "id">,
  sid: string,
): Promise<Pick<MessageRow, "rank" | "type" | "agentId" | "modelSelection">> {
  const { rank, type, agentId, modelSelection } = messages;
  const [message] = await db
    .select({ rank, type, agentId, modelSelection })
    .from(messages)
    .where(and(eq(messages.conversationId, conversation.id), eq(messages.sid, sid)));
  if (message !== undefined) return message;
  throw new ParleyError("message_not_found", "The conversation has no such message");
}

/**
 * Throws `version_conflict` unless a message is the newest of a locked conversation: the newest version at the last
 * position. Throws `message_not_found`.
 */
export async function requireNewest(
  db: Queryable,
  conversation: Pick<ConversationRow, "id">,
  sid: string,
): Promise<void> {
  await requireMessage(db, conversation, sid);
  const [newest] = await db
    .select({ sid: messages.sid })
    .from(messages)
    .where(and(eq(messages.conversationId, conversation.id), eq(messages.visibility, "visible")))
    .orderBy(desc(messages.rank), desc(messages.version))
    .limit(1);
  if (newest?.sid === sid) return;
  const message = `Invalid request body: afterMessageId: the conversation has a newer message, ${newest?.sid}`;
  throw new ParleyError("version_conflict", message);
}

/** The error for a message of the path that cannot be added to so. */
export function refused(why: string): ParleyError {
  return new ParleyError("invalid_request_error", `Invalid path parameters: mId: ${why}`);
}
