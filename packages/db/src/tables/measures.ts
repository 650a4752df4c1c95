import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { identity, milliseconds, number } from "./columns.ts";

/** The length of what a row of sums is about, each in UTC. */
export type MeasurePeriod = "minute" | "hour" | "day";

/** What sums are divided by, one at a time; `all` for everything. */
export type MeasureDimension = "all" | "agent" | "model" | "tool" | "key" | "user" | "workspace";

/**
 * What happened in a period, by one dimension. `sums` has a number for each measure by its name: `answers`, `calls`,
 * `amount:USD` in nano-units, `whole:12` for the answers in the twelfth bucket of a histogram. So rows are merged by
 * adding what has the same name. The rows of the workspace 0 are of all workspaces.
 */
export const measureSums = pgTable(
  "measure_sums",
  {
    workspaceId: number().notNull(),
    period: text().$type<MeasurePeriod>().notNull(),
    startsAt: milliseconds().notNull(),
    dimension: text().$type<MeasureDimension>().notNull(),
    /** What it is of: a public id, or the number of a key or user; empty for all, and for what is not one of the largest. */
    value: text().notNull(),
    sums: jsonb().$type<Record<string, number>>().notNull(),
  },
  (table) => [
    primaryKey({
      name: "measure_sums_pk",
      columns: [table.workspaceId, table.period, table.dimension, table.startsAt, table.value],
    }),
    // Sums that are too old, and what alerts look at.
    index("measure_sums_by_age").on(table.period, table.dimension, table.startsAt),
  ],
);

/**
 * Up to where ended answers are in the sums: those that the snapshot of a transaction shows. It holds for the database
 * that has numbered the transactions: a copy of the rows begins again.
 */
export const measurePositions = pgTable("measure_positions", {
  name: text().primaryKey(),
  origin: text().notNull(),
  snapshot: text().notNull(),
  /** The earliest end of an answer that is not in the snapshot. */
  scanFrom: milliseconds().notNull(),
});

/** Calls of models that were billed and are not in the sums yet: written by what marks the entries of the ledger. */
export const measureDeltas = pgTable("measure_deltas", {
  id: identity(),
  workspaceId: number().notNull(),
  minute: milliseconds().notNull(),
  apiKeyId: number(),
  userId: number(),
  agentId: text().notNull(),
  /** The service and the model, as `provider/model`. */
  model: text().notNull(),
  sums: jsonb().$type<Record<string, number>>().notNull(),
});
