import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";

/** What requests with an Idempotency-Key have made; written in the transaction that makes it. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    workspaceId: number().notNull(),
    /** SHA-256 of the API key, the route, its parameters and the idempotency key. */
    scope: text().notNull(),
    /** SHA-256 of the request's parsed input. */
    fingerprint: text().notNull(),
    /** Id of what was made. */
    made: text().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.scope] }),
    index("idempotency_keys_by_age").on(table.createdAt),
  ],
);
