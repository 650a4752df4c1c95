import type { InvocationError, SimulatedBehaviour } from "@parley/schema";
import { boolean, index, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { identity, milliseconds, number, sid } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

export const sandboxFunctions = pgTable(
  "sandbox_functions",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    slug: text().notNull(),
    description: text().notNull(),
    behaviour: jsonb().$type<SimulatedBehaviour>().notNull(),
    /** Whether an interrupted invocation may be run again. */
    retryable: boolean().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [uniqueIndex("sandbox_functions_by_slug").on(table.workspaceId, table.slug)],
);

export const invocations = pgTable(
  "invocations",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number().notNull(),
    functionId: number().notNull(),
    apiKeyId: number().notNull(),
    status: text().$type<"created" | "succeeded" | "errored">().notNull(),
    /** JSON, kept as text: jsonb would change numbers and the order of members. */
    input: text().notNull(),
    timezone: text(),
    /** JSON of what the function returned. */
    result: text(),
    error: jsonb().$type<InvocationError>(),
    createdAt: milliseconds().notNull(),
    finishedAt: milliseconds(),
  },
  (table) => [index("invocations_by_function").on(table.functionId, table.id)],
);
