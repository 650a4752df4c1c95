import { sql } from "drizzle-orm";
import {
  boolean,
  customType,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import { users, workspaces } from "./workspaces.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

// The words of messages and how far they are indexed are unlogged: they are made again from the messages after a crash
// of PostgreSQL, and by a server that a backup was restored to.

/** The words of messages, by which they are found: written in the background, and erased with the messages. */
export const messageWords = pgTable(
  "message_words",
  {
    messageId: text().primaryKey(),
    workspaceId: number().notNull(),
    conversationId: number().notNull(),
    /** When the message was created. */
    createdAt: milliseconds().notNull(),
    /** With the number of the workspace as one of them; null until an answer has ended. */
    words: tsvector(),
  },
  (table) => [
    index("message_words_by_word").using("gin", table.words),
    index("message_words_by_creation").on(table.workspaceId, table.createdAt, table.messageId),
    index("message_words_by_conversation").on(table.conversationId),
    index("message_words_pending")
      .on(table.createdAt)
      .where(sql`${table.words} is null`),
  ],
);

/** How far messages are indexed: one row, which the indexing process locks. */
export const messageIndex = pgTable("message_index", {
  id: integer().primaryKey(),
  /** What was created before is indexed, but for what `backfillAfter` leaves; no transaction is open that writes such. */
  position: milliseconds().notNull(),
  /** What was stored before is indexed too, but for the same. */
  indexedUntil: milliseconds().notNull(),
  /** Of the messages from before the first run: those with greater ids are not indexed yet. Null once all are. */
  backfillAfter: text(),
});

/** States of a page of the console that somebody has named. */
export const savedViews = pgTable(
  "saved_views",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** The user whose it is; null for an operator's. */
    ownerId: number().references(() => users.id),
    name: text().notNull(),
    page: text().notNull(),
    /** The query of the page's URL. */
    query: text().notNull(),
    /** Whether everybody in the workspace sees it. */
    isShared: boolean().notNull(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("saved_views_by_workspace").on(table.workspaceId, table.page, table.id),
    uniqueIndex("saved_views_by_name").on(
      table.workspaceId,
      sql`coalesce(${table.ownerId}, 0)`,
      table.page,
      table.name,
    ),
  ],
);
