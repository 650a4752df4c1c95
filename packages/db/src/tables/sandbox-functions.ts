import type { InvocationError, SimulatedBehaviour } from "@parley/schema";
import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { agents } from "./agents.ts";
import { identity, milliseconds, number, sid } from "./columns.ts";
import { users, workspaces } from "./workspaces.ts";

/** What a function is called; what it does is in its versions. */
export const sandboxFunctions = pgTable(
  "sandbox_functions",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    /** Taken for ever, also by a function that is archived. */
    slug: text().notNull(),
    status: text().$type<"active" | "archived">().notNull().default("active"),
    /** The current version, which is what new invocations run. */
    version: integer().notNull().default(1),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [uniqueIndex("sandbox_functions_by_slug").on(table.workspaceId, table.slug)],
);

/** What a function does, version by version. A version never changes: its invocations end with it. */
export const sandboxFunctionVersions = pgTable(
  "sandbox_function_versions",
  {
    functionId: number()
      .notNull()
      .references(() => sandboxFunctions.id),
    version: integer().notNull(),
    description: text().notNull(),
    behaviour: jsonb().$type<SimulatedBehaviour>().notNull(),
    /** JSON Schema (2020-12) of the input; none where any input is taken. */
    inputSchema: jsonb().$type<Record<string, unknown>>(),
    outputSchema: jsonb().$type<Record<string, unknown>>(),
    timeoutMs: integer().notNull().default(60_000),
    maxOutputBytes: integer().notNull().default(262_144),
    maxLogLines: integer().notNull().default(1000),
    /** Invocations of the function that run at once; the others wait. */
    maxConcurrent: integer().notNull().default(20),
    /** Whether an interrupted invocation may be run again. */
    retryable: boolean().notNull(),
    /** Agents call a function of high stake only with somebody's approval. */
    stake: text().$type<"low" | "high">().notNull().default("low"),
    /** Who wrote the version; none where an operator did. */
    editedBy: number().references(() => users.id),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.functionId, table.version] })],
);

/** The functions that a version of an agent may call. */
export const agentFunctions = pgTable(
  "agent_functions",
  {
    agentId: number()
      .notNull()
      .references(() => agents.id),
    functionId: number()
      .notNull()
      .references(() => sandboxFunctions.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.functionId] })],
);

/** Functions of high stake that agents may call for a user without being asked again. */
export const functionApprovals = pgTable(
  "function_approvals",
  {
    userId: number()
      .notNull()
      .references(() => users.id),
    functionId: number()
      .notNull()
      .references(() => sandboxFunctions.id),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.functionId] })],
);

export const invocations = pgTable(
  "invocations",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number().notNull(),
    functionId: number().notNull(),
    functionVersion: integer().notNull(),
    /** The key that invoked it; none where an agent did. */
    apiKeyId: number(),
    /** The tool call that it is; none where a key invoked it. */
    actionId: number(),
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
  (table) => [
    index("invocations_by_function").on(table.functionId, table.id),
    uniqueIndex("invocations_by_action")
      .on(table.actionId)
      .where(sql`${table.actionId} is not null`),
  ],
);
