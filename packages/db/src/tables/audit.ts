import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { identity, milliseconds } from "./columns.ts";

/**
 * Administrative acts and refused credentials. Rows are only added: triggers of the migrations refuse
 * every change, and let go only of what the sweep says is old. They refer to other tables by public
 * ids, because they outlive what they speak of.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: identity(),
    at: milliseconds().notNull(),
    /** Public id of the workspace; null for what is the server's. */
    workspaceId: text(),
    /** Id of the key that acted, or `cli`; null for a refused credential. */
    actorId: text(),
    actorName: text(),
    /** The endpoint's name, or `credentials.refused`. */
    action: text().notNull(),
    subjectId: text(),
    /** What was asked with a refused credential. */
    route: text(),
    address: text(),
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
