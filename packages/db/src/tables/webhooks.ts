import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import type { EncryptedText } from "./tools.ts";
import { workspaces } from "./workspaces.ts";

/** Where a workspace wants to be told what happens in it. */
export const webhooks = pgTable(
  "webhooks",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    url: text().notNull(),
    description: text().notNull(),
    /** Names of the events that it is told of. */
    events: text().array().notNull(),
    /** Public ids that an event must be about; null for any. */
    conversationIds: text().array(),
    agentIds: text().array(),
    functionIds: text().array(),
    /** Whether the event itself is sent with its ids. */
    sendsContent: boolean().notNull(),
    /** Whether what happens in a conversation is delivered in its order. */
    isOrdered: boolean().notNull(),
    /** Whether it is told of the tasks that agents give to others. */
    includesTasks: boolean().notNull().default(false),
    /** Whether its deliveries wait until they are taken, and are sent by nobody. */
    isPulled: boolean().notNull().default(false),
    /** When they were last taken, to about an hour. */
    takenAt: milliseconds(),
    secret: jsonb().$type<EncryptedText>().notNull(),
    /** The secret before a rotation, and until when deliveries are signed with it too. */
    previousSecret: jsonb().$type<EncryptedText>(),
    previousSecretUntil: milliseconds(),
    /** Why it is switched off; null while it is on. */
    disabledFor: text().$type<"request" | "gone" | "failing" | "key_revoked" | "overflow">(),
    disabledAt: milliseconds(),
    /** Since when every delivery has failed; null after one that succeeded. */
    failingSince: milliseconds(),
    /** The key whose reach it has; null for an operator's. */
    apiKeyId: number(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("webhooks_by_workspace").on(table.workspaceId, table.id),
    index("webhooks_enabled")
      .on(table.workspaceId)
      .where(sql`${table.disabledFor} is null`),
    index("webhooks_pulled")
      .on(table.id)
      .where(sql`${table.isPulled}`),
  ],
);

/** What a delivery is about: public ids. */
export interface WebhookSubject {
  readonly conversationId?: string;
  readonly messageId?: string;
  readonly agentId?: string;
  readonly actionId?: string;
  readonly functionId?: string;
  readonly invocationId?: string;
  readonly webhookId?: string;
  readonly incidentId?: string;
  readonly alertId?: string;
  readonly reason?: string;
  readonly decision?: string;
  readonly isSample?: boolean;
  readonly budgets?: readonly object[];
}

/** An attempt of a delivery. */
export interface WebhookAttempt {
  /** When it began, and how long it took, in milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  /** Status of the answer, if there was one. */
  readonly status?: number;
  /** Why it counts as failed. */
  readonly error?: string;
}

/**
 * What webhooks are told: one row for each event and webhook, which commits with the event. It has no foreign keys: an
 * event must neither wait for a change of a webhook or a conversation, nor fail as one is deleted.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    ...identified(),
    workspaceId: number().notNull(),
    webhookId: number().notNull(),
    event: text().notNull(),
    /** The event's place in its log; null for what is in none. */
    logId: text(),
    seq: integer(),
    subject: jsonb().$type<WebhookSubject>().notNull(),
    /** The conversation with which it is deleted. */
    conversationId: number(),
    /** How many webhooks led to the event, with this one. */
    depth: integer().notNull().default(1),
    status: text().$type<"waiting" | "succeeded" | "failed">().notNull(),
    /** When it happened, by the clock of the database. */
    createdAt: milliseconds().notNull(),
    /** When it is tried again, while it waits. */
    nextAttemptAt: timestamp({ withTimezone: true }),
    finishedAt: milliseconds(),
    attempts: jsonb().$type<WebhookAttempt[]>().notNull().default([]),
    /** How many of the attempts came before it was last sent again by hand. */
    earlierAttempts: integer().notNull().default(0),
    /** What the last attempt was answered: the beginning of the body. */
    responseBody: text(),
  },
  (table) => [
    index("webhook_deliveries_by_webhook").on(table.webhookId, table.id),
    index("webhook_deliveries_by_conversation")
      .on(table.conversationId)
      .where(sql`${table.conversationId} is not null`),
    index("webhook_deliveries_failed")
      .on(table.webhookId, table.id)
      .where(sql`${table.status} = 'failed'`),
    index("webhook_deliveries_waiting")
      .on(table.webhookId)
      .where(sql`${table.status} = 'waiting'`),
    index("webhook_deliveries_ended")
      .on(table.finishedAt)
      .where(sql`${table.finishedAt} is not null`),
    uniqueIndex("webhook_deliveries_by_event").on(
      table.webhookId,
      table.logId,
      table.seq,
      table.event,
    ),
  ],
);
