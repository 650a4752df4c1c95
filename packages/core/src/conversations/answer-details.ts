import { agents, hasRow, messages } from "@parley/db";
import { type AnswerDetails, ParleyError } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";

/**
 * Reads what an answer was asked with, and the tokens of its steps. Throws `conversation_not_found`, and
 * `message_not_found` for what is not an answer in the conversation.
 */
export async function getAnswerDetails(
  context: Context,
  { cId, mId }: { readonly cId: string; readonly mId: string },
): Promise<{ answer: AnswerDetails }> {
  const { db } = context.database;
  const { id: conversationId } = await requireConversation(db, context, cId);
  const [row] = await db
    .select({
      messageId: messages.sid,
      rank: messages.rank,
      created: messages.createdAt,
      status: messages.status,
      agentConfigurationId: agents.sid,
      settings: messages.answerSettings,
      responseFormat: messages.responseFormat,
      steps: messages.steps,
      isNewest: sql<boolean>`not ${hasRow(sql`
        from messages later where later.conversation_id = ${messages.conversationId}
          and (later.rank, later.version) > (${messages.rank}, ${messages.version})`)}`,
    })
    .from(messages)
    .innerJoin(agents, eq(agents.id, messages.agentId))
    .where(
      and(
        eq(messages.sid, mId),
        eq(messages.workspaceId, context.caller.workspace.id),
        eq(messages.conversationId, conversationId),
      ),
    );
  if (row === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such answer");
  }
  const { status, settings, steps, ...answer } = row;
  return {
    answer: {
      ...answer,
      // Agents' messages always have one.
      status: status as AnswerDetails["status"],
      settings: (settings ?? {}) as AnswerDetails["settings"],
      steps: (steps ?? []).map(toStep),
    },
  };
}

type Steps = NonNullable<(typeof messages.$inferSelect)["steps"]>;

function toStep(stored: Steps[number]): AnswerDetails["steps"][number] {
  return {
    step: stored.step,
    inputTokens: stored.inputTokens ?? 0,
    outputTokens: stored.outputTokens ?? 0,
    cachedInputTokens: stored.cachedInputTokens ?? 0,
    cacheWriteTokens: stored.cacheWriteTokens ?? 0,
    reasoningTokens: stored.reasoningTokens ?? 0,
  };
}
