import type { Launch, SchedulePausedFor } from "@parley/schema";
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference, sid, timestamps } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

/** What is started at which times. */
export const schedules = pgTable(
  "schedules",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    name: text().notNull(),
    description: text().notNull(),
    launch: jsonb().$type<Launch>().notNull(),
    /** A cron expression, or else `everySeconds`. */
    cron: text(),
    everySeconds: integer(),
    /** Where the slots of `everySeconds` are counted from. */
    anchor: milliseconds().notNull(),
    timezone: text().notNull(),
    overlap: text().$type<"allow" | "skip" | "wait">().notNull(),
    missed: text().$type<"skip" | "last" | "all">().notNull(),
    jitterSeconds: integer().notNull(),
    /** Why it does not fire; null while it does. */
    pausedFor: text().$type<SchedulePausedFor>(),
    pausedAt: milliseconds(),
    /** Since when every firing has failed; null after one that started. */
    failingSince: milliseconds(),
    /** The key that it acts for. */
    apiKeyId: number().notNull(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("schedules_by_workspace").on(table.workspaceId, table.id),
    index("schedules_active")
      .on(table.id)
      .where(sql`${table.pausedFor} is null`),
  ],
);

/**
 * The firings of schedules: a slot is one row, however many servers and clocks there are. One of an active schedule is
 * planned, the next: its run is suspended until then.
 */
export const scheduleFirings = pgTable(
  "schedule_firings",
  {
    scheduleId: number()
      .notNull()
      .references(() => schedules.id, { onDelete: "cascade" }),
    /** The time that it stands for, in milliseconds. */
    slot: milliseconds().notNull(),
    id: number().notNull().generatedAlwaysAsIdentity().unique(),
    sid: sid(),
    workspaceId: number().notNull(),
    status: text().$type<"planned" | "waiting" | "started" | "skipped" | "failed">().notNull(),
    isManual: boolean().notNull(),
    /** Attempts to start it that failed. */
    attempts: integer().notNull().default(0),
    startedAt: milliseconds(),
    /** Public ids of what it started, and the log of the run that does it. */
    conversationSid: text(),
    messageSid: text(),
    invocationSid: text(),
    startedLogId: text(),
    /** Why it was skipped or failed, or why it waits. */
    reason: text(),
  },
  (table) => [
    primaryKey({ columns: [table.scheduleId, table.slot] }),
    index("schedule_firings_by_number").on(table.scheduleId, table.id),
    index("schedule_firings_open")
      .on(table.scheduleId)
      .where(sql`${table.status} in ('planned', 'waiting')`),
  ],
);
