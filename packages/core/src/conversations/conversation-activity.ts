import { conversations, hasRow, type Queryable } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import { waitsForPerson } from "../data-access/person-calls.ts";

/** Columns of a select of conversations that are derived from the messages. */
// Drizzle leaves out the name of a select's only table, and `id` would be the message's.
export const activity = {
  /** When something last happened in it; null if it has no message. */
  lastActivityAt: sql<number | null>`(
    select max(greatest(m.created_at, coalesce(m.finished_at, 0))) from messages m
    where m.conversation_id = conversations.id)`.mapWith(Number),
  /** Whether a call of an answer that is under way, also in a task, waits for its user. */
  actionRequired: sql<boolean>`(${hasRow(sql`
    from messages m join actions a on a.message_id = m.id
    where m.conversation_id = conversations.id and m.status = 'created'
      and ${waitsForPerson(sql`a.status`)}`)} or ${hasRow(sql`
    from conversations task join messages m on m.conversation_id = task.id join actions a on a.message_id = m.id
    where task.root_id = conversations.id and m.status = 'created'
      and ${waitsForPerson(sql`a.status`)}`)})`,
};

/** Reads what is derived from a conversation's messages, without their texts. */
export async function readActivity(
  db: Queryable,
  conversationId: number,
): Promise<{ lastActivityAt: number; actionRequired: boolean }> {
  const [found] = await db
    .select(activity)
    .from(conversations)
    .where(eq(conversations.id, conversationId));
  const { lastActivityAt, actionRequired = false } = found ?? {};
  return { lastActivityAt: lastActivityAt ?? 0, actionRequired };
}
