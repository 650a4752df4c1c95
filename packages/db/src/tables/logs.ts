import { sql } from "drizzle-orm";
import type { ModelService, ProviderError } from "@parley/schema";
import {
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";

/** One log per conversation, agent-message version and invocation, under its sId. */
export const logs = pgTable(
  "logs",
  {
    id: text().primaryKey(),
    /** Number of the last event: 1, 2, 3 … without gaps when they were written. */
    lastSeq: integer().notNull(),
    /** The attempt that may append; 0 if any writer may. */
    fence: integer().notNull(),
    /** Set by the terminal event: nothing is appended after it. */
    closedAt: timestamp({ withTimezone: true }),
    /** For a conversation's log: bytes of the finished answers. */
    answerBytes: number().notNull().default(0),
    /** Number of the event after which retention continues; null once trimming is complete. */
    trimAfter: integer().default(0),
  },
  (table) => [
    // Holds only logs to trim. An append to an open log changes none of its columns.
    index("logs_untrimmed")
      .on(sql`starts_with(${table.id}, 'sfi_')`, table.closedAt)
      .where(sql`${table.closedAt} is not null and ${table.trimAfter} is not null`),
  ],
);

export const events = pgTable(
  "events",
  {
    logId: text().notNull(),
    seq: integer().notNull(),
    type: text().notNull(),
    /** The event's JSON as it is sent; text, so that every reader gets the same bytes. */
    payload: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.logId, table.seq] })],
);

/** An attempt of a run; its times are those of the database, in milliseconds since the epoch. */
export interface StoredAttempt {
  readonly attempt: number;
  /** When a worker could have claimed it; left out of a first attempt. */
  readonly dueAt?: number;
  readonly startedAt: number;
  readonly workerId: string | null;
  /** When it ended and how; of one without, the run goes on or ended with it. */
  readonly endedAt?: number;
  readonly end?: "suspended" | "lost" | "handed_back" | "refused";
}

/** Agent turns, invocations, compactions, deliveries, firings of schedules, events of triggers, exports of traces, divisions of documents, embeddings of their parts and refreshes of web sources to run. Times are the database's, because workers' clocks may differ. */
export const runs = pgTable(
  "runs",
  {
    /** The log that the run writes under its fence. */
    logId: text().primaryKey(),
    /** The order of the runs. */
    id: number().notNull().generatedAlwaysAsIdentity(),
    kind: text()
      .$type<
        | "agent_turn"
        | "invocation"
        | "compaction"
        | "delivery"
        | "firing"
        | "trigger_event"
        | "trace_export"
        | "division"
        | "embedding"
        | "web_refresh"
      >()
      .notNull(),
    workspaceId: number().notNull(),
    /** Number of the agent message, the invocation, the summary, the delivery, the firing, the trigger's event, the trace destination, the data source or the web source. */
    subjectId: number().notNull(),
    /** The function that an invocation runs; null for other kinds. */
    functionId: number(),
    /** The webhook that a delivery is sent to; null for other kinds. */
    webhookId: number(),
    /** The trigger that an event was sent to; null for other kinds. */
    triggerId: number(),
    /** Runs with the same key execute serially, in the order of their numbers; null: no order. */
    orderingKey: text(),
    /**
     * A waiting run can be claimed. A queued run is after another of its ordering key. A suspended run
     * waits for something else than a worker, until `runAfter` at the latest.
     */
    status: text().$type<"waiting" | "queued" | "running" | "suspended" | "finished">().notNull(),
    priority: integer().notNull(),
    attempt: integer().notNull(),
    /** Attempts that count; of an invocation, 1 says that it may begin once only, and never changes. */
    maxAttempts: integer().notNull(),
    /** Attempts that were handed back and do not count. */
    sparedAttempts: integer().notNull().default(0),
    workerId: text(),
    /** Its attempts, once a second one begins or the first one is left; null before, and in rows from before. */
    attempts: jsonb().$type<StoredAttempt[]>(),
    leaseUntil: timestamp({ withTimezone: true }),
    runAfter: timestamp({ withTimezone: true }).notNull(),
    createdAt: milliseconds().notNull(),
    // The members up to `outputTokens` are null in runs that ended before they were introduced.
    /** When its first attempt began. */
    startedAt: milliseconds(),
    /** When it ended: as its message or invocation says, for lists and counts of runs. */
    finishedAt: milliseconds(),
    /** How it ended; before that, `refused` gives a run whose call a server has refused one more attempt. */
    outcome: text().$type<"succeeded" | "errored" | "cancelled" | "refused">(),
    /** Tokens of all steps of a turn, as their provider counted them. */
    inputTokens: number(),
    outputTokens: number(),
    /** Parts of these; null also in runs that ended before they were introduced. */
    cachedInputTokens: number(),
    cacheWriteTokens: number(),
    reasoningTokens: number(),
    /** What the provider of a failed turn said, for builders and admins only. */
    providerError: jsonb().$type<ProviderError>(),
    /** The key that what it costs is billed to, and the user; null for none, and in rows from before. */
    apiKeyId: number(),
    userId: number(),
    /** The restricted spaces that its caller reached, of those of the key; null for all of those. */
    reachedSpaceIds: number().array(),
    /** The request that created it, and the W3C trace of that request. */
    requestId: text(),
    traceparent: text(),
    /** How many webhooks led to that request. */
    depth: integer().notNull().default(0),
    /** The log of the answer that asked for it: of a task, and of an answer after a handover; null for others. */
    parentLogId: text(),
  },
  (table) => [
    // Lists of a workspace's runs.
    index("runs_by_creation").on(table.workspaceId, table.createdAt, table.id),
    // Counts over time read the index alone. An entry is written once, at the end of the run.
    index("runs_finished")
      .on(
        table.workspaceId,
        table.finishedAt,
        table.kind,
        table.outcome,
        table.inputTokens,
        table.outputTokens,
        table.cachedInputTokens,
        table.cacheWriteTokens,
        table.reasoningTokens,
      )
      .where(sql`${table.finishedAt} is not null`),
    index("runs_waiting_turns")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'agent_turn'`),
    index("runs_waiting_compactions")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'compaction'`),
    index("runs_waiting_deliveries")
      .on(table.workspaceId, table.webhookId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'delivery'`),
    index("runs_waiting_trigger_events")
      .on(table.workspaceId, table.triggerId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'trigger_event'`),
    index("runs_of_triggers")
      .on(table.triggerId)
      .where(sql`${table.triggerId} is not null`),
    index("runs_waiting_firings")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'firing'`),
    index("runs_waiting_trace_exports")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'trace_export'`),
    index("runs_waiting_divisions")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'division'`),
    index("runs_waiting_embeddings")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'embedding'`),
    uniqueIndex("runs_of_embedded_views")
      .on(table.subjectId)
      .where(sql`${table.kind} = 'embedding'`),
    index("runs_waiting_web_refreshes")
      .on(table.workspaceId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'web_refresh'`),
    index("runs_of_webhooks")
      .on(table.webhookId)
      .where(sql`${table.webhookId} is not null`),
    index("runs_waiting_invocations")
      .on(table.workspaceId, table.functionId, table.priority, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.kind} = 'invocation'`),
    index("runs_running_invocations")
      .on(table.workspaceId, table.functionId)
      .where(sql`${table.status} = 'running' and ${table.kind} = 'invocation'`),
    index("runs_queued")
      .on(table.orderingKey, table.id)
      .where(sql`${table.status} = 'queued'`),
    index("runs_queued_of_kind")
      .on(table.workspaceId, table.kind)
      .where(sql`${table.status} = 'queued'`),
    index("runs_by_parent")
      .on(table.parentLogId)
      .where(sql`${table.parentLogId} is not null`),
    index("runs_suspended")
      .on(table.runAfter)
      .where(sql`${table.status} = 'suspended'`),
    index("runs_leased")
      .on(table.leaseUntil)
      .where(sql`${table.status} = 'running'`),
    index("runs_unfinished_by_ordering_key")
      .on(table.orderingKey, table.id)
      .where(sql`${table.status} <> 'finished' and ${table.orderingKey} is not null`),
  ],
);

/**
 * Workers, each until when it counts as alive. The table is unlogged: its writes wait for no disk, and
 * after a crash of PostgreSQL, workers that live enter themselves again.
 */
export const workers = pgTable("workers", {
  id: text().primaryKey(),
  aliveUntil: timestamp({ withTimezone: true }).notNull(),
  /** The services for whose models its settings have what a call needs, by the ids of their providers. */
  modelServices: jsonb().$type<ModelService[]>().notNull().default([]),
});
