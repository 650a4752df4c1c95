import type { AgentError, ContentNode, MessageContext, ModelSelection } from "@parley/schema";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identity, milliseconds, number, sid } from "./columns.ts";

/**
 * Numbers of conversations and messages. Each value stands for a block of `ROW_ID_BLOCK` numbers,
 * so that a process knows the numbers of the rows it is about to write without asking for each.
 */
export const ROW_ID_BLOCK = 1000;
export const rowIds = pgSequence("row_ids", { startWith: 1000, increment: ROW_ID_BLOCK });

// The tables of the hot path carry no foreign keys: see docs/decisions/no-foreign-keys-on-hot-tables.md.

export const conversations = pgTable(
  "conversations",
  {
    id: number().primaryKey(),
    sid: sid(),
    workspaceId: number().notNull(),
    spaceId: number(),
    apiKeyId: number().notNull(),
    title: text().notNull(),
    visibility: text().notNull(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
    /** When it was last marked as read: what came after that is unread. */
    readAt: milliseconds().notNull(),
  },
  (table) => [index("conversations_by_workspace").on(table.workspaceId, table.id)],
);

/** The messages of conversations: users', agents' and content fragments. */
export const messages = pgTable(
  "messages",
  {
    sid: text().primaryKey(),
    /** Unique too, but never looked up by: an index less to write. */
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
    modelSelection: jsonb().$type<ModelSelection>(),
    skipToolsValidation: boolean(),
    finishedAt: milliseconds(),
    /** What each step took, and what its provider is shown again while the turn goes on. */
    steps: jsonb().$type<StoredStep[]>(),
    // Content fragments.
    fragment: jsonb().$type<StoredFragment>(),
  },
  (table) => [uniqueIndex("messages_by_rank").on(table.conversationId, table.rank, table.version)],
);

/** What a step of a turn took: tokens as the provider counts them. */
export interface StoredStep {
  readonly step: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly durationMs: number;
  readonly replay?: unknown;
}

/** What a content fragment says beyond its text: of a file, or of a node as it was when added. */
export interface StoredFragment {
  readonly title: string;
  readonly contentType: string;
  readonly fileId: string | null;
  readonly sourceUrl: string | null;
  /** Size of the file in bytes, where its content is text. */
  readonly textBytes?: number | null;
  readonly node?: ContentNode;
}

/** Tool calls of agent messages. */
export const actions = pgTable(
  "actions",
  {
    id: identity(),
    sid: sid(),
    messageId: number().notNull(),
    step: integer().notNull(),
    position: integer().notNull(),
    toolName: text().notNull(),
    functionCallName: text().notNull(),
    functionCallId: text().notNull(),
    status: text().notNull(),
    params: jsonb().$type<Record<string, unknown>>().notNull(),
    output: jsonb().$type<unknown[]>(),
    /** Log of the message, where the call is a sandbox function's: its end wakes that log's run. */
    logId: text(),
    /** What somebody decided about a call that waited for approval. */
    decision: text().$type<"approved" | "rejected" | "always_approved">(),
    executionDurationMs: integer(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [uniqueIndex("actions_by_message").on(table.messageId, table.step, table.position)],
);
