import { sql } from "drizzle-orm";
import type {
  ProgramBundle,
  StartedByEvent,
  TriggerMapping,
  TriggerSource,
  TriggerTarget,
} from "@parley/schema";
import {
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import type { EncryptedText } from "./tools.ts";
import { workspaces } from "./workspaces.ts";

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** A mapping as it is stored: code has the module that runs. */
export type StoredMapping =
  | Extract<TriggerMapping, { type: "jsonata" }>
  | (Extract<TriggerMapping, { type: "javascript" }> & { readonly bundle: ProgramBundle });

/** A secret as it is stored: the hash of one in a URL, or an encrypted one that signs. */
export type StoredTriggerSecret = { readonly hash: string } | { readonly encrypted: EncryptedText };

/** What starts an agent or a function when another service sends an event. */
export const triggers = pgTable(
  "triggers",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    name: text().notNull(),
    description: text().notNull(),
    source: jsonb().$type<TriggerSource>().notNull(),
    target: jsonb().$type<TriggerTarget>().notNull(),
    mapping: jsonb().$type<StoredMapping>(),
    /** JSONata expression that gives the key of an event. */
    keyExpression: text(),
    eventsPerMinute: integer().notNull(),
    maxBytes: integer().notNull(),
    secret: jsonb().$type<StoredTriggerSecret>().notNull(),
    /** The secret before a rotation, and until when it is accepted too. */
    previousSecret: jsonb().$type<StoredTriggerSecret>(),
    previousSecretUntil: milliseconds(),
    /** Why it is switched off; null while it is on. */
    disabledFor: text().$type<"request" | "key_revoked">(),
    disabledAt: milliseconds(),
    /** Since when every event has failed; null after one that did not. */
    failingSince: milliseconds(),
    /** The key that it acts for. */
    apiKeyId: number().notNull(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [index("triggers_by_workspace").on(table.workspaceId, table.id)],
);

/**
 * What was received for triggers. A row is committed before the sender has its answer, with the run that starts what
 * it leads to. It has no foreign keys, so that receiving waits for no change of a trigger.
 */
export const triggerEvents = pgTable(
  "trigger_events",
  {
    ...identified(),
    workspaceId: number().notNull(),
    triggerId: number().notNull(),
    /** What the event is known by, once for each trigger; null if nothing names it. */
    onceKey: text(),
    status: text().$type<"waiting" | "started" | "ignored" | "failed" | "tried">().notNull(),
    isSample: boolean().notNull().default(false),
    /** Headers without credentials, and the body as it came; null once only the key is kept. */
    headers: jsonb().$type<Readonly<Record<string, string>>>(),
    body: bytes(),
    bytes: integer().notNull(),
    /** How many webhooks led to it. */
    depth: integer().notNull().default(0),
    /** Each replay starts something of its own. */
    replays: integer().notNull().default(0),
    /** What was made of it, its beginning. */
    message: text(),
    started: jsonb().$type<StartedByEvent>(),
    error: text(),
    createdAt: milliseconds().notNull(),
    finishedAt: milliseconds(),
  },
  (table) => [
    index("trigger_events_by_trigger").on(table.triggerId, table.id),
    index("trigger_events_by_creation").on(table.createdAt),
    index("trigger_events_failed")
      .on(table.triggerId, table.id)
      .where(sql`${table.status} = 'failed'`),
    index("trigger_events_waiting")
      .on(table.triggerId)
      .where(sql`${table.status} = 'waiting'`),
    index("trigger_events_by_workspace")
      .on(table.workspaceId)
      .where(sql`${table.body} is not null`),
    uniqueIndex("trigger_events_once").on(table.triggerId, table.onceKey),
  ],
);
