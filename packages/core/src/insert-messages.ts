import { type Queryable, statement } from "@parley/db";
import type { LogEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import { createBatcher } from "./batcher.ts";
import { toColumns } from "./columns.ts";
import type { NewTurn } from "./new-messages.ts";
import type { ConversationRow, MessageRow } from "./rows.ts";

const messageInsert = sql`
  insert into messages
  select * from json_populate_recordset(null::messages, ${sql.placeholder("messages")}::json)`;

const logInsert = sql`
  insert into logs (id, last_seq, fence)
  select id, last_seq, 0
  from json_to_recordset(${sql.placeholder("logs")}::json) as l(id text, last_seq int)`;

const runInsert = sql`
  insert into runs (kind, workspace_id, log_id, subject_id, lane, status, priority, attempt,
    max_attempts, run_after, created_at)
  select 'agent_turn', workspace_id, log_id, subject_id, lane, 'waiting', 0, 0, 5, now(), created_at
  from json_to_recordset(${sql.placeholder("runs")}::json) as r(workspace_id bigint, log_id text,
    subject_id bigint, lane text, created_at bigint)`;

const messagesStatement = statement<{ messages: string; logs: string; runs: string }>(
  "insert_messages",
  sql`with message as (${messageInsert}), log as (${logInsert}) ${runInsert}`,
);

const conversationStatement = statement<{
  conversations: string;
  messages: string;
  logs: string;
  events: string;
  runs: string;
}>(
  "insert_conversation",
  sql`
  with conversation as (
    insert into conversations
    select * from json_populate_recordset(null::conversations, ${sql.placeholder("conversations")}::json)
  ),
  message as (${messageInsert}),
  log as (${logInsert}),
  event as (
    insert into events (log_id, seq, type, payload)
    select * from json_to_recordset(${sql.placeholder("events")}::json)
      as e(log_id text, seq int, type text, payload text)
  )
  ${runInsert}`,
);

/** Writes messages into a conversation, with a log and a run for each agent message. */
export async function insertMessages(
  db: Queryable,
  { messages, turns }: { messages: readonly MessageRow[]; turns: readonly NewTurn[] },
): Promise<void> {
  await messagesStatement.execute(db, {
    messages: JSON.stringify(messages.map(toColumns)),
    logs: JSON.stringify(newLogs(turns)),
    runs: JSON.stringify(newRuns(turns)),
  });
}

/** Everything that a new conversation consists of. */
export interface NewConversation {
  readonly conversation: ConversationRow;
  readonly messages: readonly MessageRow[];
  /** Events of the conversation's log, from its beginning. */
  readonly events: readonly LogEvent[];
  /** The agent messages among the messages. */
  readonly turns: readonly NewTurn[];
}

/**
 * Writes conversations, their messages, logs and first events, and a run for each agent message, in
 * one statement: round trips and commits are the greater part of what a create costs.
 */
export async function insertConversations(
  db: Queryable,
  created: readonly NewConversation[],
): Promise<void> {
  const turns = created.flatMap((one) => one.turns);
  const logs = created.map(({ conversation, events }) => ({
    id: conversation.sid,
    last_seq: events.length,
  }));
  const events = created.flatMap(({ conversation, events: ofLog }) =>
    ofLog.map((event, index) => ({
      log_id: conversation.sid,
      seq: index + 1,
      type: event.type,
      payload: JSON.stringify(event),
    })),
  );
  await conversationStatement.execute(db, {
    conversations: JSON.stringify(created.map((one) => toColumns(one.conversation))),
    messages: JSON.stringify(created.flatMap((one) => one.messages.map(toColumns))),
    logs: JSON.stringify([...logs, ...newLogs(turns)]),
    events: JSON.stringify(events),
    runs: JSON.stringify(newRuns(turns)),
  });
}

/** Conversations of one statement at most, and the characters that one may have to share it. */
const MAX_TOGETHER = 64;
const MAX_SHARED_CHARACTERS = 64 * 1024;

/** Makes what writes the conversations of a process: those that come together share a commit. */
export function createConversationWriter(
  db: Queryable,
): (created: NewConversation) => Promise<void> {
  const batched = createBatcher<NewConversation, void>(async (batch) => {
    await insertConversations(db, batch);
    return () => undefined;
  }, MAX_TOGETHER);
  return (created) => {
    const characters = created.messages.reduce((sum, row) => sum + row.content.length, 0);
    return characters > MAX_SHARED_CHARACTERS
      ? insertConversations(db, [created])
      : batched(created);
  };
}

function newLogs(turns: readonly NewTurn[]) {
  return turns.map(({ message }) => ({ id: message.sid, last_seq: 0 }));
}

function newRuns(turns: readonly NewTurn[]) {
  return turns.map(({ message, agent }) => ({
    workspace_id: message.workspaceId,
    log_id: message.sid,
    subject_id: message.id,
    // Turns of one agent in one conversation are ordered.
    lane: `${message.conversationId}/${agent.sid}`,
    created_at: message.createdAt,
  }));
}
