import type { AlertMeasure } from "@parley/schema";
import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

/** When somebody is told that something is wrong. A workspace without rows has those that the code has. */
export const alerts = pgTable(
  "alerts",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** The built-in alert that it replaces; null for one of the workspace's own. */
    builtIn: text(),
    name: text().notNull(),
    measure: text().$type<AlertMeasure>().notNull(),
    /** Public id of the agent that it is about; null for all. */
    agentId: text(),
    comparison: text().$type<"above" | "below">().notNull(),
    threshold: doublePrecision().notNull(),
    /** Where it ends: on the other side of the threshold. */
    until: doublePrecision().notNull(),
    /** How much time is looked at, and for how long the measure must be beyond the threshold. */
    windowMinutes: integer().notNull(),
    forMinutes: integer().notNull(),
    /** Answers in the window from which on a share or a percentile counts. */
    minAnswers: integer().notNull(),
    isEnabled: boolean().notNull(),
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("alerts_by_workspace").on(table.workspaceId, table.id),
    uniqueIndex("alerts_by_built_in")
      .on(table.workspaceId, table.builtIn)
      .where(sql`${table.builtIn} is not null`),
  ],
);

/** A time in which a measure was beyond the threshold of an alert. */
export const alertIncidents = pgTable(
  "alert_incidents",
  {
    ...identified(),
    workspaceId: number().notNull(),
    /** Public id of the alert, or the name of a built-in one. */
    alertId: text().notNull(),
    /** The alert as it was. */
    agentId: text(),
    name: text().notNull(),
    measure: text().$type<AlertMeasure>().notNull(),
    threshold: doublePrecision().notNull(),
    /** The measure when it opened, and the worst since then. */
    value: doublePrecision().notNull(),
    worst: doublePrecision().notNull(),
    /** Since when it is beyond the threshold; when that was for long enough; and when it ended. */
    beganAt: milliseconds().notNull(),
    openedAt: milliseconds(),
    closedAt: milliseconds(),
    /** Why it ended: the measure is well again, or nobody looks at it any more. */
    closedFor: text().$type<"recovered" | "changed">(),
  },
  (table) => [
    // One at a time for each alert, however many servers look.
    uniqueIndex("alert_incidents_open")
      .on(table.workspaceId, table.alertId)
      .where(sql`${table.closedAt} is null`),
    index("alert_incidents_by_workspace").on(table.workspaceId, table.id),
    index("alert_incidents_closed")
      .on(table.closedAt)
      .where(sql`${table.closedAt} is not null`),
  ],
);
