import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { identified, milliseconds, number } from "./columns.ts";
import type { StoredStep } from "./stored-messages.ts";

/** A text that a program has copied from the messages that a summary replaces. */
export interface CarriedItem {
  readonly kind: "task" | "url" | "file" | "id" | "quantity";
  readonly text: string;
}

/** How far a summary has come: the next attempt continues after it. */
export interface SummaryProgress {
  readonly text: string;
  /** The position that is read next, and how many characters of its message were read before. */
  readonly rank: number;
  readonly offset: number;
  /** Of what was read, and of the earlier summary. */
  readonly bytes: number;
}

/**
 * Summaries of the oldest messages of conversations, which prompts have in place of them. No foreign keys, as in
 * the other tables of conversations.
 */
export const conversationSummaries = pgTable(
  "conversation_summaries",
  {
    /** Its sid is the id of its run. */
    ...identified(),
    workspaceId: number().notNull(),
    conversationId: number().notNull(),
    /** 1, 2, 3 … in the conversation. */
    number: integer().notNull(),
    /** `pending` while its run has not ended; of the others, only an active one is in prompts. */
    status: text().$type<"pending" | "active" | "undone" | "failed">().notNull(),
    /** The positions that it replaces; null until its run has chosen them. */
    fromRank: integer(),
    toRank: integer(),
    /** The earlier summary whose text it contains, and the last position that this one replaces. */
    containsNumber: integer(),
    containsToRank: integer(),
    text: text(),
    carried: jsonb().$type<CarriedItem[]>(),
    progress: jsonb().$type<SummaryProgress>(),
    /** The answer whose end started it, the version of its agent, and the model that summarises. */
    answerId: text().notNull(),
    agentId: number().notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    /** The measurements of each call of the model. */
    steps: jsonb().$type<StoredStep[]>().notNull().default([]),
    /** Why there is none. */
    error: jsonb().$type<{ readonly code: string; readonly message: string }>(),
    /** After a failure, or once a person has undone it, none is started before this position. */
    heldUntilRank: integer(),
    createdAt: milliseconds().notNull(),
    finishedAt: milliseconds(),
    undoneAt: milliseconds(),
    /** The user who has undone it; null for a change of a message that it replaces. */
    undoneBy: number(),
  },
  (table) => [
    uniqueIndex("conversation_summaries_by_number").on(table.conversationId, table.number),
    uniqueIndex("conversation_summaries_pending")
      .on(table.conversationId)
      .where(sql`${table.status} = 'pending'`),
    index("conversation_summaries_active")
      .on(table.conversationId, table.toRank)
      .where(sql`${table.status} = 'active'`),
    index("conversation_summaries_by_workspace").on(table.workspaceId),
  ],
);
