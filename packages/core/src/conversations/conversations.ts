import {
  actions,
  conversations,
  conversationSummaries,
  conversationTools,
  events,
  feedbacks,
  files,
  logs,
  messages,
  type Queryable,
  recordedRequests,
  requestPieces,
  runs,
  statement,
} from "@parley/db";
import {
  type ConversationPage,
  type ListConversations,
  MAX_PAGE_ITEMS,
  type Success,
  type UpdateConversation,
} from "@parley/schema";
import { eq, inArray, sql } from "drizzle-orm";
import { statementForCallers } from "../access/caller-statement.ts";
import {
  lockConversation,
  newestReached,
  refuseTask,
  TEMPORARY,
} from "../access/conversation-reach.ts";
import type { Context, Process } from "../context.ts";
import { jsonValues, selectAs } from "../data-access/row-json.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import { goneHints } from "../log/bus.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { happenedToConversations, hasDeliveries, toldOf } from "../log/webhook-outbox.ts";
import { closeCalls, readRunningCalls } from "../calls/open-calls.ts";
import { activity } from "./conversation-activity.ts";
import { renderConversation } from "./conversation-content.ts";
import { eraseWords } from "../search/erase-words.ts";
import { eraseUploads, findUploads } from "./temporary-uploads.ts";
import { takePage } from "../data-access/pages.ts";

interface NewestConversation extends ConversationRow {
  /** Null if it has no message. */
  readonly lastActivityAt: number | null;
  readonly actionRequired: boolean;
}

/** The newest conversations that a caller reaches, before a place in the list; one more than a page at most. */
export const readNewest = statementForCallers<
  { before: number; count: number },
  NewestConversation
>(
  "list_conversations",
  (caller) => sql`
    select conversations.*, ${selectAs(activity)}
    from (${newestReached({ caller }, MAX_PAGE_ITEMS + 1)}) conversations
    order by conversations.position desc limit ${sql.placeholder("count")}`,
);

/** Lists conversations without their messages, the newest first, a page at a time. */
export async function listConversations(
  context: Context,
  { limit, lastValue }: ListConversations,
): Promise<ConversationPage> {
  const { database, caller } = context;
  // The value is `p` and a position.
  const before = lastValue === undefined ? Number.MAX_SAFE_INTEGER : Number(lastValue.slice(1));
  const rows = await readNewest(database.db, caller, { before, count: limit + 1 });
  const { page, end } = takePage(rows, { limit }, ({ position }) => `p${position}`);
  return {
    conversations: page.map((row) => {
      const { lastActivityAt, actionRequired } = row;
      return renderConversation(context, row, {
        lastActivityAt: lastActivityAt ?? 0,
        actionRequired,
      });
    }),
    ...end,
  };
}

/** Marks a conversation as read, or sets its title and notifies its followers. */
export async function updateConversation(
  context: Context,
  input: UpdateConversation & { cId: string },
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const row = await lockConversation(db, context, input.cId);
    const now = context.now();
    const { read, title } = input;
    await db
      .update(conversations)
      .set({ ...(read && { readAt: now }), ...(title !== undefined && { title }) })
      .where(eq(conversations.id, row.id));
    if (title !== undefined) {
      const event = { type: "conversation_title", created: now, title } as const;
      await appendEvents(db, [{ logId: row.sid, events: [event] }], afterCommit);
    }
    return { success: true };
  });
}

/**
 * Deletes a conversation with all of its content and the tasks below it; turns that run in them are stopped. Throws
 * `invalid_request_error` for a task, which is deleted with the conversation that it comes from.
 */
export async function deleteConversation(
  context: Context,
  input: { cId: string },
): Promise<Success> {
  return inTransaction(context, async (transaction) => {
    const row = await lockConversation(transaction.db, context, input.cId);
    refuseTask(row);
    const isTemporary = row.visibility === TEMPORARY;
    const uploads = isTemporary ? await findUploads(transaction.db, [row.id]) : [];
    const gone = await deleteConversationRows(context, transaction, [row]);
    await eraseUploads(transaction.db, uploads);
    transaction.afterCommit.push(...goneHints(gone));
    return { success: true };
  });
}

/** A conversation whose rows are deleted. */
type DeletedConversation = Pick<ConversationRow, "id" | "sid">;

/**
 * Deletes every row of the conversations and of the tasks below them, and cancels the invocations that their agents
 * wait for. Gives the ids of their logs.
 */
export async function deleteConversationRows(
  core: Pick<Process, "now">,
  transaction: Transaction,
  given: readonly DeletedConversation[],
): Promise<string[]> {
  const below = await findBelow(transaction.db, given);
  const gone = await deleteFoundRows(core, transaction, [...given, ...below]);
  // What a turn has asked for until its log was locked.
  const further = await findBelow(transaction.db, given);
  return further.length === 0
    ? gone
    : [...gone, ...(await deleteFoundRows(core, transaction, further))];
}

/** The tasks below conversations. */
async function findBelow(
  db: Queryable,
  rows: readonly DeletedConversation[],
): Promise<DeletedConversation[]> {
  const ids = rows.map(({ id }) => id);
  const { id, sid, rootId } = conversations;
  return db.select({ id, sid }).from(conversations).where(inArray(rootId, ids));
}

async function deleteFoundRows(
  core: Pick<Process, "now">,
  transaction: Transaction,
  rows: readonly DeletedConversation[],
): Promise<string[]> {
  const { db } = transaction;
  const ids = rows.map((row) => row.id);
  const inConversations = inArray(messages.conversationId, ids);
  const found = await db
    .select({ id: messages.id, sid: messages.sid, type: messages.type, status: messages.status })
    .from(messages)
    .where(inConversations);
  const answers = found.filter((message) => message.type === "agent_message");
  const ofConversations = inArray(conversationSummaries.conversationId, ids);
  const summaries = await db
    .select({ sid: conversationSummaries.sid })
    .from(conversationSummaries)
    .where(ofConversations);
  const logIds = [...rows, ...answers, ...summaries].map(({ sid }) => sid);
  const ofLogs = jsonValues(JSON.stringify(logIds));
  const openIds = answers.filter(({ status }) => status === "created").map(({ id }) => id);
  const running = await readRunningCalls(db, openIds);
  // The logs first, as all writers lock them.
  await lockLogs(db, [...logIds, ...running]);
  await closeCalls(core, transaction, openIds);
  await db.delete(logs).where(inArray(logs.id, ofLogs));
  await db.delete(events).where(inArray(events.logId, ofLogs));
  await db.delete(runs).where(inArray(runs.logId, ofLogs));
  const messageIds = db.select({ id: messages.id }).from(messages).where(inConversations);
  await db.delete(actions).where(inArray(actions.messageId, messageIds));
  await db.delete(feedbacks).where(inArray(feedbacks.conversationId, ids));
  await db.delete(conversationSummaries).where(ofConversations);
  for (const table of [recordedRequests, requestPieces]) {
    await db.delete(table).where(inArray(table.conversationId, ids));
  }
  await db.delete(messages).where(inConversations);
  await eraseWords(db, ids);
  // Of their inline fragments; the chunks go with them.
  await db.delete(files).where(inArray(files.conversationId, ids));
  await db.delete(conversationTools).where(inArray(conversationTools.conversationId, ids));
  const [deleted] = await deleteStatement.execute(db, { ids: JSON.stringify(ids) });
  if (deleted?.hasDeliveries) {
    transaction.afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
  }
  return logIds;
}

// What waits to be delivered goes with the conversation; its run has nothing to send any more.
const deleteStatement = statement<{ ids: string }, { hasDeliveries: boolean }>(
  "delete_conversations",
  sql`
  with gone as (
    delete from conversations
    where id in (select value::bigint from json_array_elements_text(${sql.placeholder("ids")}::json))
    returning id, sid, root_id, workspace_id, space_id, visibility
  ),
  undelivered as (delete from webhook_deliveries d using gone where d.conversation_id = gone.id),
  ${toldOf(happenedToConversations(sql`gone`, { event: "conversation.deleted", seq: -1 }))}
  select ${hasDeliveries} as "hasDeliveries"`,
);
