import {
  actions,
  conversations,
  events,
  files,
  logs,
  messages,
  type Queryable,
  runs,
  spaces,
} from "@parley/db";
import {
  type Conversation,
  type ConversationPage,
  type ListConversations,
  ParleyError,
  type Success,
  type UpdateConversation,
} from "@parley/schema";
import { and, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { closeCalls } from "./close-calls.ts";
import { type Context, type Core, inTransaction, type Transaction } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { goneHints } from "./events/bus.ts";
import { callStatus, readOpenCalls, runningOf } from "./function-calls.ts";
import { renderMessage } from "./messages.ts";
import { type ReadMessages, readMessages, readReferences } from "./read-messages.ts";
import { renderConversation } from "./render-conversation.ts";
import type { ConversationRow } from "./rows.ts";
import { reachesSpace } from "./spaces.ts";

/** The condition that a conversation is the workspace's and in no space that is closed to the key. */
export function reachesConversation(context: Context): SQL | undefined {
  const { apiKey, workspace } = context.caller;
  return and(
    eq(conversations.workspaceId, workspace.id),
    or(
      sql`${conversations.spaceId} is null`,
      sql`exists (select 1 from ${spaces} where ${and(
        eq(spaces.id, conversations.spaceId),
        reachesSpace(apiKey),
      )})`,
    ),
  );
}

/** The conversation that the caller's key reaches. Throws `conversation_not_found`. */
export async function requireConversation(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<ConversationRow> {
  const [row] = await db
    .select()
    .from(conversations)
    .where(and(eq(conversations.sid, sid), reachesConversation(context)));
  if (row === undefined) {
    throw new ParleyError("conversation_not_found", "The workspace has no such conversation");
  }
  return row;
}

/** The same, locked until the transaction ends: what is added to it is numbered under the lock. */
export async function lockConversation(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<ConversationRow> {
  const { id } = await requireConversation(db, context, sid);
  const [row] = await db.select().from(conversations).where(eq(conversations.id, id)).for("update");
  if (row === undefined) {
    throw new ParleyError("conversation_not_found", "The workspace has no such conversation");
  }
  return row;
}

/** A conversation with its messages, all versions of each. */
export async function getConversation(
  context: Context,
  input: { cId: string },
): Promise<{ conversation: Conversation }> {
  const { db } = context.database;
  const row = await requireConversation(db, context, input.cId);
  const read = await readMessages(db, row.id);
  return { conversation: await renderStored(context, row, read) };
}

/** A stored conversation as the wire shows it. */
export async function renderStored(
  context: Context,
  row: ConversationRow,
  read: ReadMessages,
): Promise<Conversation> {
  const references = await readReferences(context.database.db, context, read);
  const lastActivityAt = read.messages.reduce(
    (last, message) => Math.max(last, message.createdAt, message.finishedAt ?? 0),
    0,
  );
  const content = Map.groupBy(read.messages, (message) => message.rank)
    .values()
    .map((versions) => versions.map((version) => renderMessage(version, references)))
    .toArray();
  const actionRequired = read.actions
    .values()
    .some((calls) => calls.some(({ status }) => status === callStatus.blocked));
  return { ...renderConversation(context, row, { lastActivityAt, actionRequired }), content };
}

/** Lists conversations without their messages, the newest first, a page at a time. */
export async function listConversations(
  context: Context,
  input: ListConversations,
): Promise<ConversationPage> {
  const { limit, lastValue } = input;
  // In the columns of a select from one table Drizzle leaves its name out, and `id` is the message's.
  const lastActivityAt = sql<number | null>`(
    select max(greatest(m.created_at, coalesce(m.finished_at, 0))) from messages m
    where m.conversation_id = conversations.id)`.mapWith(Number);
  const actionRequired = sql<boolean>`exists (
    select 1 from messages m join actions a on a.message_id = m.id
    where m.conversation_id = conversations.id and m.status = 'created'
      and a.status = ${callStatus.blocked})`;
  const rows = await context.database.db
    .select({ row: conversations, lastActivityAt, actionRequired })
    .from(conversations)
    .where(
      and(
        reachesConversation(context),
        lastValue === undefined ? undefined : lt(conversations.id, Number(lastValue)),
      ),
    )
    .orderBy(desc(conversations.id))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  return {
    conversations: page.map(({ row, lastActivityAt: last, actionRequired: required }) =>
      renderConversation(context, row, { lastActivityAt: last ?? 0, actionRequired: required }),
    ),
    hasMore: rows.length > limit,
    lastValue: page.at(-1)?.row.id.toString() ?? null,
  };
}

/** Marks a conversation as read, or gives it a title, which its followers are told. */
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

/** Deletes a conversation with all of its content; turns that run in it are stopped. */
export async function deleteConversation(
  context: Context,
  input: { cId: string },
): Promise<Success> {
  return inTransaction(context, async (transaction) => {
    const row = await lockConversation(transaction.db, context, input.cId);
    const gone = await deleteConversationRows(context, transaction, [row]);
    transaction.afterCommit.push(...goneHints(gone));
    return { success: true };
  });
}

/**
 * Deletes every row of the conversations, and cancels the invocations that their agents wait for; the
 * result holds the ids of their logs.
 */
export async function deleteConversationRows(
  core: Pick<Core, "now">,
  transaction: Transaction,
  rows: readonly Pick<ConversationRow, "id" | "sid">[],
): Promise<string[]> {
  const { db } = transaction;
  const ids = rows.map((row) => row.id);
  const inConversations = inArray(messages.conversationId, ids);
  const found = await db
    .select({ id: messages.id, sid: messages.sid, type: messages.type, status: messages.status })
    .from(messages)
    .where(inConversations);
  const answers = found.filter((message) => message.type === "agent_message");
  const logIds = [...rows.map((row) => row.sid), ...answers.map((message) => message.sid)];
  // One parameter, however many they are: a statement takes 65,535.
  const ofLogs = sql`(select value from json_array_elements_text(${JSON.stringify(logIds)}::json))`;
  const unended = answers.filter((message) => message.status === "created");
  const unendedIds = unended.map((message) => message.id);
  const running = runningOf(await readOpenCalls(db, unendedIds)).map(({ sid }) => sid);
  // The logs first, in the order of their ids, as all writers lock them.
  const all = sql`(select value from json_array_elements_text(${JSON.stringify([...logIds, ...running])}::json))`;
  const locked = db.select({ id: logs.id }).from(logs).where(inArray(logs.id, all));
  await locked.orderBy(logs.id).for("update");
  await closeCalls(core, transaction, unendedIds);
  await db.delete(logs).where(inArray(logs.id, ofLogs));
  await db.delete(events).where(inArray(events.logId, ofLogs));
  await db.delete(runs).where(inArray(runs.logId, ofLogs));
  const messageIds = db.select({ id: messages.id }).from(messages).where(inConversations);
  await db.delete(actions).where(inArray(actions.messageId, messageIds));
  await db.delete(messages).where(inConversations);
  // Of their inline fragments; the chunks go with them.
  await db.delete(files).where(inArray(files.conversationId, ids));
  await db.delete(conversations).where(inArray(conversations.id, ids));
  return logIds;
}
