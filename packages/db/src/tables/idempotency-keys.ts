import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";

/** What requests with an Idempotency-Key created; written in the transaction that creates it. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    workspaceId: number().notNull(),
    /** SHA-256 of the API key, the route, its parameters and the idempotency key. */
    scope: text().notNull(),
    /** SHA-256 of the request's parsed input. */
    fingerprint: text().notNull(),
    /** Id of what was created. */
    createdId: text().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.scope] }),
    index("idempotency_keys_by_age").on(table.createdAt),
  ],
);
