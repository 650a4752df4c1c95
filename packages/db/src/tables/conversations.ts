import type {
  AgentError,
  AnswerSettings,
  Citation,
  GeneratedFile,
  MessageContext,
  ModelSelection,
  Stake,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  json,
  jsonb,
  pgSequence,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  identified,
  identity,
  milliseconds,
  number,
  reference,
  sid,
  timestamps,
} from "./columns.ts";
import { agents, type StoredResponseFormat } from "./agents.ts";
import type { DecidedCall, PromptNote, StoredFragment, StoredStep } from "./stored-messages.ts";
import { users, workspaces } from "./workspaces.ts";

/** What users think of answers: one row for each user and message. */
export const feedbacks = pgTable(
  "feedbacks",
  {
    id: identity(),
    workspaceId: reference(() => workspaces.id),
    // No foreign keys to the tables of the hot path.
    conversationId: number().notNull(),
    messageId: text().notNull(),
    /** The version of the agent that answered. */
    agentId: reference(() => agents.id),
    userId: reference(() => users.id),
    thumbDirection: text().$type<"up" | "down">().notNull(),
    content: text(),
    isConversationShared: boolean().notNull(),
    /** When it was last given. */
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    uniqueIndex("feedbacks_by_message").on(table.messageId, table.userId),
    index("feedbacks_by_conversation").on(table.conversationId, table.id),
    index("feedbacks_by_workspace").on(table.workspaceId, table.id),
    // A version of an agent is deleted only without any.
    index("feedbacks_by_agent").on(table.agentId),
  ],
);

/**
 * Numbers of conversations and messages. Each value stands for a block of `ROW_ID_BLOCK` numbers, so
 * that a process knows numbers of new rows without a query for each.
 */
export const ROW_ID_BLOCK = 1000;
export const rowIds = pgSequence("row_ids", { startWith: 1000, increment: ROW_ID_BLOCK });

/** Numbers of conversations in the order of their creation. */
export const conversationPositions = pgSequence("conversation_positions");

// The tables of the hot path carry no foreign keys: see docs/decisions/no-foreign-keys-on-hot-tables.md.

export const conversations = pgTable(
  "conversations",
  {
    id: number().primaryKey(),
    sid: sid(),
    workspaceId: number().notNull(),
    spaceId: number(),
    /** The key that created it, or under which its creator's user token acts. */
    apiKeyId: number().notNull(),
    /** The user that it belongs to; null for the key's service user. */
    ownerId: number(),
    title: text().notNull(),
    visibility: text().notNull(),
    ...timestamps(),
    /** When it was last marked as read. */
    readAt: milliseconds().notNull(),
    /** Ascends in the order of creation, whichever process creates: ids come in blocks of a process. */
    position: number()
      .notNull()
      .default(sql`nextval('conversation_positions')`),
    // The counts are null in rows from before they were introduced.
    /** Messages, including fragments, answers and all versions. */
    messageCount: integer(),
    /** Bytes of the messages without answers, which its log counts. */
    messageBytes: number(),
    /** The call that it is a task of, and the conversation that all of those tasks come from; null for others. */
    parentActionId: number(),
    rootId: number(),
    /** How many tasks lead to it; 0 for others. */
    depth: integer().notNull().default(0),
  },
  (table) => [
    // A call has one task, however often its worker is killed.
    uniqueIndex("conversations_by_call")
      .on(table.parentActionId)
      .where(sql`${table.parentActionId} is not null`),
    index("conversations_by_root")
      .on(table.rootId)
      .where(sql`${table.rootId} is not null`),
    index("conversations_by_position").on(table.workspaceId, table.position),
    // Those that are erased once they have ended.
    index("conversations_temporary")
      .on(table.position)
      .where(sql`${table.visibility} = 'temporary'`),
    // Counts over time, and lists of a range of time.
    index("conversations_by_creation").on(table.workspaceId, table.createdAt),
    // Lists of what a key has created, of what belongs to a user, and of what is shared.
    index("conversations_by_key").on(table.apiKeyId, table.position),
    index("conversations_by_owner")
      .on(table.ownerId, table.position)
      .where(sql`${table.ownerId} is not null`),
    index("conversations_in_spaces")
      .on(table.workspaceId, table.position)
      .where(sql`${table.spaceId} is not null`),
    index("conversations_by_space")
      .on(table.spaceId, table.position)
      .where(sql`${table.spaceId} is not null`),
  ],
);

/** The messages of conversations: users', agents' and content fragments. */
export const messages = pgTable(
  "messages",
  {
    sid: text().primaryKey(),
    /** Unique, but without an index, because no query looks it up. */
    id: number().notNull(),
    workspaceId: number().notNull(),
    conversationId: number().notNull(),
    rank: integer().notNull(),
    version: integer().notNull(),
    type: text().notNull(),
    visibility: text().notNull(),
    createdAt: milliseconds().notNull(),
    content: text().notNull(),
    context: jsonb().$type<MessageContext>(),
    // User messages.
    userId: number(),
    mentions: jsonb().$type<{ configurationId: string }[]>(),
    // Agent messages.
    agentId: number(),
    parentMessageId: text(),
    status: text(),
    chainOfThought: text(),
    rawContents: jsonb().$type<{ step: number; content: string }[]>(),
    error: jsonb().$type<AgentError>(),
    /** Why the answer ended (`FinishReason`). */
    finishReason: text(),
    modelSelection: jsonb().$type<ModelSelection>(),
    /** What the answer must be, if its question says so; else its agent does. */
    responseFormat: jsonb().$type<StoredResponseFormat>(),
    /** The accepted value of an answer in such a format; the value may be null. */
    structuredOutput: jsonb().$type<{ readonly value: unknown }>(),
    /** The values of the agent's instructions, as text, frozen when the message was created. */
    promptValues: text(),
    /** What its model was not given as it was sent. */
    promptNotes: jsonb().$type<PromptNote[]>(),
    skipToolsValidation: boolean(),
    /** Ids of the servers in the asking user's client that it may call. */
    clientServerIds: jsonb().$type<string[]>(),
    finishedAt: milliseconds(),
    /** Measurements of each step, and what its provider is given back of it. */
    steps: jsonb().$type<StoredStep[]>(),
    /** What its question asks of its models: the tools of the application, in the order in which it sent their members. */
    answerSettings: json().$type<AnswerSettings>(),
    // Content fragments.
    fragment: jsonb().$type<StoredFragment>(),
  },
  (table) => [
    uniqueIndex("messages_by_rank").on(table.conversationId, table.rank, table.version),
    // The newest messages, whose words are indexed. It has a few bytes for many rows, and no entry for each.
    index("messages_by_creation").using("brin", table.createdAt).with({ autosummarize: true }),
    // Whether any message is of an old version of an agent. An answer's entry never changes.
    index("messages_by_agent")
      .on(table.agentId)
      .where(sql`${table.agentId} is not null`),
  ],
);

/** Tool calls of agent messages. */
export const actions = pgTable(
  "actions",
  {
    ...identified(),
    messageId: number().notNull(),
    step: integer().notNull(),
    position: integer().notNull(),
    toolName: text().notNull(),
    functionCallName: text().notNull(),
    functionCallId: text().notNull(),
    /** For a call of an MCP server: the id of the tool, and who must approve it. */
    mcpServerId: text(),
    stake: text().$type<Stake>(),
    status: text().notNull(),
    params: jsonb().$type<Record<string, unknown>>().notNull(),
    output: jsonb().$type<unknown[]>(),
    /** Files that the call has made; null for none. */
    generatedFiles: jsonb().$type<GeneratedFile[]>(),
    /** The parts of documents that the call has found; null for none. */
    citations: jsonb().$type<Citation[]>(),
    /** For a call that starts something: the log of the message, whose run its end wakes. */
    logId: text(),
    /** For such a call: the workspace. */
    workspaceId: number(),
    /** The decision about a call that waited for approval. */
    decision: text().$type<"approved" | "rejected" | "always_approved">(),
    /** Who has decided about the call, or answered its question. */
    decided: jsonb().$type<DecidedCall>(),
    executionDurationMs: integer(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("actions_by_message").on(table.messageId, table.step, table.position),
    index("actions_blocked")
      .on(table.workspaceId, table.id)
      .where(sql`starts_with(${table.status}, 'blocked_')`),
  ],
);
