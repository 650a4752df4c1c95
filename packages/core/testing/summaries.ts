import { conversations, conversationSummaries, messages } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";
import type { SummaryRow } from "../src/data-access/rows.ts";

export { getConsumption } from "../src/conversations/consumption.ts";
export { getConversation } from "../src/conversations/conversation-content.ts";
export { retryMessage } from "../src/conversations/post-messages.ts";
export { updateSummary } from "../src/summaries/summaries.ts";

/** Adds messages to a conversation of one: answers at odd positions, without runs. */
export async function fillTestConversation(
  { database, newId }: Core,
  cId: string,
  texts: readonly string[],
): Promise<void> {
  const [first] = await database.db
    .select({ message: messages })
    .from(conversations)
    .innerJoin(messages, eq(messages.conversationId, conversations.id))
    .where(eq(conversations.sid, cId));
  if (first === undefined) throw new Error(`The conversation ${cId} has no message`);
  const { message } = first;
  const rows = texts.map((content, index) => {
    const rank = index + 1;
    const isAnswer = rank % 2 === 1;
    return {
      ...message,
      sid: newId(),
      id: message.id + 1_000_000 + rank,
      rank,
      content,
      type: isAnswer ? "agent_message" : "user_message",
      status: isAnswer ? "succeeded" : null,
      parentMessageId: isAnswer ? message.sid : null,
    };
  });
  await database.db.insert(messages).values(rows);
}

/** All summaries, by their numbers. */
export async function readTestSummaries({ database }: Core): Promise<SummaryRow[]> {
  return database.db
    .select()
    .from(conversationSummaries)
    .orderBy(asc(conversationSummaries.conversationId), asc(conversationSummaries.number));
}
