import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
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

/** The last attempt to send traces. */
export interface TraceAttempt {
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly isTest: boolean;
}

/**
 * Where the traces of a workspace are sent, and how far: runs are exported in the order of their ends. Its own run is
 * `runs.log_id = sid` while there is something to send.
 */
export const traceDestinations = pgTable(
  "trace_destinations",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** Whether it is the one of the server's settings, which have its URL and headers. */
    isOfServer: boolean().notNull().default(false),
    name: text().notNull(),
    url: text().notNull(),
    encoding: text().$type<"protobuf" | "json">().notNull(),
    /** JSON of the headers, encrypted; null for none. */
    headers: jsonb().$type<EncryptedText>(),
    headerNames: text().array().notNull(),
    sendsContent: boolean().notNull(),
    percent: doublePrecision().notNull(),
    slowMs: integer(),
    isEnabled: boolean().notNull(),
    /** The end and the number of the last run that was exported. */
    exportedUntil: milliseconds().notNull(),
    exportedRunId: number().notNull().default(0),
    /** A period that is sent again: its next run is after `againFrom` and `againRunId`. */
    againFrom: milliseconds(),
    againRunId: number(),
    againTo: milliseconds(),
    isTestWanted: boolean().notNull().default(false),
    failingSince: milliseconds(),
    /** Attempts that have failed since the last success. */
    failures: integer().notNull().default(0),
    lastAttempt: jsonb().$type<TraceAttempt>(),
    sentSpans: number().notNull().default(0),
    rejectedSpans: number().notNull().default(0),
    skippedRuns: number().notNull().default(0),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("trace_destinations_by_workspace").on(table.workspaceId, table.id),
    uniqueIndex("trace_destinations_of_server")
      .on(table.workspaceId)
      .where(sql`${table.isOfServer}`),
  ],
);
