import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { identity, milliseconds } from "./columns.ts";

/**
 * Administrative mutations and refused credentials. Triggers of the migrations refuse every change of a
 * row, and every deletion except the sweep of old rows. Rows refer to other tables by public ids, because
 * they outlive the rows of those tables.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: identity(),
    at: milliseconds().notNull(),
    /** Public id of the workspace; null for the server. */
    workspaceId: text(),
    /** Id of the key that acted, or `cli`; null for a refused credential. */
    actorId: text(),
    actorName: text(),
    /** The endpoint's name, or `credentials.refused`. */
    action: text().notNull(),
    subjectId: text(),
    /** The request of a refused credential. */
    route: text(),
    clientIp: text(),
    requestId: text(),
    /** `succeeded`, or the type of the error. */
    outcome: text().notNull(),
    /** How many refused credentials the row stands for. */
    count: integer().notNull().default(1),
  },
  (table) => [
    index("audit_events_by_workspace").on(table.workspaceId, table.id),
    index("audit_events_by_time").on(table.at),
  ],
);
