import { actions, messages, type Queryable } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { ActionRow, MessageRow } from "./rows.ts";

/** The messages of a conversation by position and version, and their tool calls in order. */
export async function readMessages(
  db: Queryable,
  conversationId: number,
): Promise<{ messages: MessageRow[]; actions: Map<number, ActionRow[]> }> {
  const rows = await db
    .select()
    .from(messages)
    .leftJoin(actions, eq(actions.messageId, messages.id))
    .where(eq(messages.conversationId, conversationId))
    .orderBy(asc(messages.rank), asc(messages.version), asc(actions.step), asc(actions.position));
  const found = new Map<number, MessageRow>();
  const ofMessages = new Map<number, ActionRow[]>();
  for (const { messages: message, actions: action } of rows) {
    found.set(message.id, message);
    if (action !== null) ofMessages.getOrInsert(message.id, []).push(action);
  }
  return { messages: [...found.values()], actions: ofMessages };
}
