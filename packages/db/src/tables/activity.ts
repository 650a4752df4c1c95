import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";

// Both tables are unlogged: their writes wait for no disk. After a crash of PostgreSQL, the counts are made
// again from the rows that they count, and the plots of the load have a gap. Both end after a day.

/**
 * What happened in a workspace in each minute that is over; in minutes without a row, nothing did. The rows
 * of the workspace 0 are sums over all.
 */
export const activityMinutes = pgTable(
  "activity_minutes",
  {
    workspaceId: number().notNull(),
    /** When the minute began. */
    minute: milliseconds().notNull(),
    conversations: integer().notNull(),
    turns: integer().notNull(),
    turnsErrored: integer().notNull(),
    invocations: integer().notNull(),
    invocationsErrored: integer().notNull(),
    inputTokens: number().notNull(),
    outputTokens: number().notNull(),
    cachedInputTokens: number().notNull().default(0),
    cacheWriteTokens: number().notNull().default(0),
    reasoningTokens: number().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.minute] }),
    index("activity_minutes_by_time").on(table.minute),
  ],
);

/**
 * The load of a workspace as it was once in a minute; without a row, there was none. What a process has is in
 * rows with its id, and what is the same for all in rows with an empty id. The rows of the workspace 0 are of
 * all workspaces.
 */
export const loadSamples = pgTable(
  "load_samples",
  {
    workspaceId: number().notNull(),
    minute: milliseconds().notNull(),
    processId: text().notNull(),
    waitingRuns: integer().notNull().default(0),
    oldestWaitingMs: milliseconds().notNull().default(0),
    openStreams: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.minute, table.processId] }),
    index("load_samples_by_time").on(table.minute),
  ],
);
