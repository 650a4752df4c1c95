import { agents, conversations, feedbacks, messages, type Queryable, users } from "@parley/db";
import {
  type FeedbackList,
  type FeedbackPage,
  type GiveFeedback,
  type ListFeedback,
  type ListOwnFeedback,
  type OwnFeedbackPage,
  type Success,
} from "@parley/schema";
import { and, asc, desc, eq, gte, lt, type SQL } from "drizzle-orm";
import {
  lockConversation,
  reachesConversation,
  requireConversation,
} from "../access/conversation-reach.ts";
import type { Context, RequestContext } from "../context.ts";
import { isAfter, takePage } from "../data-access/pages.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { renderUser } from "../workspaces/users.ts";
import { refused, requireMessage } from "./additions.ts";

interface NamedMessage {
  readonly cId: string;
  readonly mId: string;
}

/**
 * Stores what the caller's user thinks of an answer, in place of what that user said before. Throws
 * `message_not_found`, and `invalid_request_error` for what is not an agent's message.
 */
export async function giveFeedback(
  context: KeyedContext,
  input: NamedMessage & GiveFeedback,
): Promise<Success> {
  await requireConversation(context.database.db, context, input.cId);
  return inTransactionOnce(context, { id: input.mId }, async ({ db }) => {
    // Under the lock, it is not written into a conversation that is being deleted.
    const conversation = await lockConversation(db, context, input.cId);
    const { agentId } = await requireAnswer(db, conversation, input.mId);
    const said = {
      thumbDirection: input.thumbDirection,
      content: input.feedbackContent ?? null,
      isConversationShared: input.isConversationShared ?? false,
      createdAt: context.now(),
    };
    await db
      .insert(feedbacks)
      .values({
        ...said,
        workspaceId: conversation.workspaceId,
        conversationId: conversation.id,
        messageId: input.mId,
        agentId,
        userId: context.caller.user.id,
      })
      .onConflictDoUpdate({ target: [feedbacks.messageId, feedbacks.userId], set: said });
    return { success: true };
  });
}

/** Deletes the feedback of the caller's user on an answer. Without one, changes nothing. */
export async function withdrawFeedback(context: Context, input: NamedMessage): Promise<Success> {
  const { db: outside } = context.database;
  const conversation = await requireConversation(outside, context, input.cId);
  await requireAnswer(outside, conversation, input.mId);
  return inTransaction(context, async ({ db }) => {
    await db.delete(feedbacks).where(and(isOwn(context), eq(feedbacks.messageId, input.mId)));
    return { success: true };
  });
}

/** Reads the feedback of the caller's user on an answer. Throws as `giveFeedback` does. */
export async function getFeedback(context: Context, input: NamedMessage): Promise<FeedbackList> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, input.cId);
  await requireAnswer(db, conversation, input.mId);
  const rows = await readFeedback(db).where(
    and(isOwn(context), eq(feedbacks.messageId, input.mId)),
  );
  return { feedbacks: rows.map(({ shown }) => shown) };
}

/** Lists the feedback of the caller's user in a conversation, the oldest first, a page at a time. */
export async function listOwnFeedback(
  context: Context,
  { cId, ...page }: ListOwnFeedback & { cId: string },
): Promise<OwnFeedbackPage> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const rows = await readFeedback(db)
    .where(and(isOwn(context), eq(feedbacks.conversationId, id), isAfter(feedbacks.id, page)))
    .orderBy(asc(feedbacks.id))
    .limit(page.limit + 1);
  const { page: found, end } = takePage(rows, page, ({ id: number }) => number);
  return { feedbacks: found.map(({ shown }) => shown), ...end };
}

/** Lists the feedback of all users, a page at a time: on answers in conversations that the caller reaches. */
export async function listFeedback(
  context: RequestContext,
  input: ListFeedback,
): Promise<FeedbackPage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { caller } = context;
  const { agentId, conversationId, thumbDirection, since, lastValue } = input;
  const isNewestFirst = input.order === "newest";
  const isBefore = lastValue === undefined ? undefined : lt(feedbacks.id, Number(lastValue));
  const rows = await db
    .select({ id: feedbacks.id, shown, conversationId: conversations.sid, user: users })
    .from(feedbacks)
    .innerJoin(conversations, eq(conversations.id, feedbacks.conversationId))
    .innerJoin(messages, eq(messages.sid, feedbacks.messageId))
    .innerJoin(agents, eq(agents.id, feedbacks.agentId))
    .innerJoin(users, eq(users.id, feedbacks.userId))
    .where(
      and(
        eq(feedbacks.workspaceId, workspace.id),
        // Operators have no spaces.
        caller.kind === "workspace" ? reachesConversation({ ...context, caller }) : undefined,
        agentId === undefined ? undefined : eq(agents.sid, agentId),
        conversationId === undefined ? undefined : eq(conversations.sid, conversationId),
        thumbDirection && eq(feedbacks.thumbDirection, thumbDirection),
        since === undefined ? undefined : gte(feedbacks.createdAt, since),
        isNewestFirst ? isBefore : isAfter(feedbacks.id, input),
      ),
    )
    .orderBy((isNewestFirst ? desc : asc)(feedbacks.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return {
    feedbacks: page.map((row) => ({
      ...row.shown,
      conversationId: row.conversationId,
      user: renderUser(context, row.user),
    })),
    ...end,
  };
}

/** A feedback as the wire shows it. */
const shown = {
  messageId: feedbacks.messageId,
  agentMessageId: messages.id,
  userId: feedbacks.userId,
  thumbDirection: feedbacks.thumbDirection,
  content: feedbacks.content,
  createdAt: feedbacks.createdAt,
  agentConfigurationId: agents.sid,
  agentConfigurationVersion: agents.version,
  isConversationShared: feedbacks.isConversationShared,
};

function readFeedback(db: Queryable) {
  return db
    .select({ id: feedbacks.id, shown })
    .from(feedbacks)
    .innerJoin(messages, eq(messages.sid, feedbacks.messageId))
    .innerJoin(agents, eq(agents.id, feedbacks.agentId))
    .$dynamic();
}

function isOwn({ caller }: Context): SQL {
  return eq(feedbacks.userId, caller.user.id);
}

async function requireAnswer(
  db: Queryable,
  conversation: ConversationRow,
  sid: string,
): Promise<{ agentId: number }> {
  const message = await requireMessage(db, conversation, sid);
  if (message.type === "agent_message" && message.agentId !== null) {
    return { agentId: message.agentId };
  }
  throw refused("feedback is on an agent's message");
}
