import { FILE_CHUNK_BYTES, heldWorkspaces, type Queryable, statement } from "@parley/db";
import type { LogEvent } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { AddToBatch } from "../data-access/batcher.ts";
import { toColumns } from "../data-access/row-json.ts";
import type { ConversationRow, FileRow, MessageRow } from "../data-access/rows.ts";
import type { EventBus, Hint } from "../log/bus.ts";
import { createBatchedInsert } from "../log/batched-inserts.ts";
import { toPayload } from "../log/payloads.ts";
import { happenedToConversations, hasDeliveries, toldOf } from "../log/webhook-outbox.ts";
import type { ConversationLimits } from "../messages/conversation-size.ts";
import type { RunHolder } from "../runs/local-workers.ts";
import type { NewTurn } from "./new-messages.ts";
import {
  firstRunInsert,
  type HeldTurn,
  logInsert,
  newLogs,
  newRuns,
  runInsert,
  selectHeldTurns,
} from "./new-runs.ts";

const messageInsert = sql`
  insert into messages
  select * from json_populate_recordset(null::messages, ${sql.placeholder("messages")}::json)`;

// The text is that of the messages of the same statement, so it is not sent twice.
const chunkBytes = sql.raw(String(FILE_CHUNK_BYTES));
const messagesWithFiles = sql`
  message as (${messageInsert} returning id, content),
  file as (
    insert into files
    select * from json_populate_recordset(null::files, ${sql.placeholder("files")}::json)
    returning id
  ),
  file_chunk as (
    insert into file_chunks (file_id, position, data)
    select id, position, substring(bytes from position * ${chunkBytes} + 1 for ${chunkBytes})
    from (
      select file.id, convert_to(message.content, 'UTF8') as bytes
      from file join message on message.id = file.id
    ) whole, generate_series(0, (octet_length(bytes) - 1) / ${chunkBytes}) position
    where octet_length(bytes) > 0
  )`;

interface MessageValues extends Record<string, unknown> {
  messages: string;
  /** Only of the statements that write files. */
  files?: string;
  logs: string;
  runs: string;
}

interface ConversationValues extends MessageValues {
  /** Of the conversations. */
  workspaceIds: string;
  conversations: string;
  events: string;
}

const insertsOf = (messages: SQL) => sql`with ${messages}, log as (${logInsert}) ${runInsert}`;

const conversationInsertsOf = (messages: SQL) => sql`
  with ${heldWorkspaces},
  conversation as (
    insert into conversations (id, sid, workspace_id, space_id, api_key_id, owner_id, title, visibility,
      created_at, updated_at, read_at, message_count, message_bytes, parent_action_id, root_id, depth)
    select c.id, c.sid, c.workspace_id, c.space_id, c.api_key_id, c.owner_id, c.title, c.visibility,
      c.created_at, c.updated_at, c.read_at, c.message_count, c.message_bytes, c.parent_action_id, c.root_id,
      c.depth
    from held,
      json_populate_recordset(null::conversations, ${sql.placeholder("conversations")}::json) c
    where is_held
    returning id, sid, root_id, workspace_id, space_id, visibility
  ),
  ${toldOf(happenedToConversations(sql`conversation`, { event: "conversation.created", seq: 0 }))},
  ${messages},
  log as (${logInsert}),
  event as (
    insert into events (log_id, seq, type, payload)
    select * from json_to_recordset(${sql.placeholder("events")}::json)
      as e(log_id text, seq int, type text, payload text)
  ),
  run as (${firstRunInsert} returning id, log_id)
  select turns.*, told."hasDeliveries" from (select ${hasDeliveries} as "hasDeliveries") told
  left join (${selectHeldTurns}) turns on true`;

// Few messages have files; the others do not pay for them.
const messagesAlone = sql`message as (${messageInsert})`;
const messagesStatement = statement<MessageValues>("insert_messages", insertsOf(messagesAlone));
const messagesAndFilesStatement = statement<MessageValues>(
  "insert_messages_and_files",
  insertsOf(messagesWithFiles),
);
/** A held turn, or a row without one; each says whether webhooks are told of the conversation. */
type WrittenTurn = (HeldTurn | { readonly logId: null }) & { readonly hasDeliveries: boolean };

const conversationStatement = statement<ConversationValues, WrittenTurn>(
  "insert_conversation",
  conversationInsertsOf(messagesAlone),
);
const conversationAndFilesStatement = statement<ConversationValues, WrittenTurn>(
  "insert_conversation_and_files",
  conversationInsertsOf(messagesWithFiles),
);

interface NewRows {
  readonly messages: readonly MessageRow[];
  /** Files of inline fragments, under the numbers of their messages. */
  readonly files: readonly FileRow[];
  /** The agent messages among the messages. */
  readonly turns: readonly NewTurn[];
}

/** Writes messages into a conversation, with a log and a run for each agent message. */
export async function insertMessages(
  db: Queryable,
  { messages, files, turns }: NewRows,
): Promise<void> {
  const values = {
    messages: toJson(messages),
    logs: JSON.stringify(newLogs(turns)),
    runs: JSON.stringify(newRuns(turns)),
  };
  if (files.length === 0) await messagesStatement.execute(db, values);
  else await messagesAndFilesStatement.execute(db, { ...values, files: toJson(files) });
}

/** A conversation that is not written yet: the database assigns its place in lists. */
export type NewConversationRow = Omit<ConversationRow, "position">;

/** Everything that a new conversation consists of. */
export interface NewConversation extends NewRows {
  readonly conversation: NewConversationRow;
  /** Events of the conversation's log, from its beginning. */
  readonly events: readonly LogEvent[];
  /** The worker that holds the runs of the turns; without one, any worker may claim them. */
  readonly holder?: RunHolder | undefined;
}

/** Writes conversations, and bounds them. */
export interface ConversationServices {
  readonly conversationLimits: ConversationLimits;
  /**
   * Writes a new conversation; concurrent writes share a commit. Gives the turns that are held, or
   * undefined if the acknowledgement was lost.
   */
  readonly writeConversation: AddToBatch<NewConversation, HeldTurn[] | undefined>;
}

/**
 * Writes conversations, their messages, logs and first events, and a run for each agent message, in
 * one statement: round trips and commits are most of the cost of a create. Gives the turns that are
 * held of each; adds a hint to `hints` if webhooks are told.
 */
export async function insertConversations(
  db: Queryable,
  created: readonly NewConversation[],
  hints: Hint[],
): Promise<(one: NewConversation) => HeldTurn[]> {
  const files = created.flatMap((one) => one.files);
  const logs = created.flatMap(({ conversation, events, turns, holder }) => [
    { id: conversation.sid, last_seq: events.length },
    ...newLogs(turns, holder),
  ]);
  const runs = created.flatMap(({ conversation, turns, holder }) =>
    newRuns(turns, holder, conversation.spaceId),
  );
  const events = created.flatMap(({ conversation, events: ofLog }) =>
    ofLog.map((event, index) => ({
      log_id: conversation.sid,
      seq: index + 1,
      type: event.type,
      payload: toPayload(event),
    })),
  );
  const values = {
    workspaceIds: JSON.stringify(created.map(({ conversation }) => conversation.workspaceId)),
    conversations: toJson(created.map((one) => one.conversation)),
    messages: toJson(created.flatMap((one) => one.messages)),
    logs: JSON.stringify(logs),
    events: JSON.stringify(events),
    runs: JSON.stringify(runs),
  };
  const written =
    files.length === 0
      ? await conversationStatement.execute(db, values)
      : await conversationAndFilesStatement.execute(db, { ...values, files: toJson(files) });
  if (written[0]?.hasDeliveries) hints.push({ topic: "runs", cause: "added", kind: "delivery" });
  const held = written.filter((turn) => turn.logId !== null);
  const byLog = new Map(held.map((turn) => [turn.logId, turn]));
  return ({ turns }) => turns.flatMap(({ message }) => byLog.get(message.sid) ?? []);
}

function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows.map(toColumns));
}

/** Creates the writer of a process; concurrent writes share a commit. */
export function createConversationWriter(
  db: Queryable,
  bus: Pick<EventBus, "publish">,
): ConversationServices["writeConversation"] {
  return createBatchedInsert(db, {
    insert: async (created: readonly NewConversation[]) => {
      const hints: Hint[] = [];
      const turnsOf = await insertConversations(db, created, hints);
      bus.publish(hints);
      return turnsOf;
    },
    logIdOf: ({ conversation }) => conversation.sid,
    workspaceIdOf: ({ conversation }) => conversation.workspaceId,
    lengthOf: ({ messages }) => messages.reduce((sum, row) => sum + row.content.length, 0),
  });
}
