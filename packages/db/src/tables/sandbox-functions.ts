import type { InvocationError, StoredProgram } from "@parley/schema";
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
import { identified, milliseconds, number, reference, timestamps } from "./columns.ts";
import { users, workspaces } from "./workspaces.ts";

/** Identities of functions; definitions are in their versions. */
export const sandboxFunctions = pgTable(
  "sandbox_functions",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** The MCP server that it calls for agents; null for others. */
    toolId: number(),
    /** The user whose clients' MCP servers it calls for agents; null for others. */
    clientUserId: number(),
    /** Reserved for ever, also by an archived function. */
    slug: text().notNull(),
    status: text().$type<"active" | "archived">().notNull().default("active"),
    /** The current version, which new invocations run. */
    version: integer().notNull().default(1),
    ...timestamps(),
  },
  (table) => [uniqueIndex("sandbox_functions_by_slug").on(table.workspaceId, table.slug)],
);

/** Definitions of functions. A version never changes: its invocations end with it. */
export const sandboxFunctionVersions = pgTable(
  "sandbox_function_versions",
  {
    functionId: reference(() => sandboxFunctions.id),
    version: integer().notNull(),
    description: text().notNull(),
    program: jsonb().$type<StoredProgram>().notNull(),
    /** JSON Schema (2020-12) of the input; null for any input. */
    inputSchema: jsonb().$type<Record<string, unknown>>(),
    outputSchema: jsonb().$type<Record<string, unknown>>(),
    timeoutMs: integer().notNull().default(60_000),
    maxOutputBytes: integer().notNull().default(262_144),
    maxLogLines: integer().notNull().default(1000),
    /** Invocations of the function that run at once; the others wait. */
    maxConcurrent: integer().notNull().default(20),
    /** Whether an interrupted invocation may be run again. */
    retryable: boolean().notNull(),
    /** Whether a call by an agent waits for an approval. */
    requiresApproval: boolean().notNull().default(false),
    /** The author of the version; null for an operator. */
    editedBy: number().references(() => users.id),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.functionId, table.version] })],
);

/** Secrets of a workspace that programs name. */
export const functionSecrets = pgTable(
  "function_secrets",
  {
    /** What the audit log, which outlives it, names it by. */
    id: number().notNull().generatedAlwaysAsIdentity(),
    workspaceId: reference(() => workspaces.id),
    name: text().notNull(),
    /** The deployment's key that encrypts it. */
    keyId: text().notNull(),
    /** AES-256-GCM, in base64: nonce, tag and ciphertext. */
    ciphertext: text().notNull(),
    ...timestamps(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.name] })],
);

/** The functions that a version of an agent may call. */
export const agentFunctions = pgTable(
  "agent_functions",
  {
    agentId: reference(() => agents.id),
    functionId: reference(() => sandboxFunctions.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.functionId] })],
);

/** Functions that require approval and that a user has approved for all later calls. */
export const functionApprovals = pgTable(
  "function_approvals",
  {
    userId: reference(() => users.id),
    functionId: reference(() => sandboxFunctions.id),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.functionId] })],
);

export const invocations = pgTable(
  "invocations",
  {
    ...identified(),
    workspaceId: number().notNull(),
    functionId: number().notNull(),
    functionVersion: integer().notNull(),
    /** The key that invoked it; null for an agent. */
    apiKeyId: number(),
    /** The user that it belongs to; null for the key's service user, and for an agent's. */
    ownerId: number(),
    /** The tool call that invoked it; null for a key. */
    actionId: number(),
    status: text().$type<"created" | "succeeded" | "errored">().notNull(),
    /** JSON as text: jsonb would change numbers and the order of members. */
    input: text().notNull(),
    timezone: text(),
    /** JSON of the result. */
    result: text(),
    error: jsonb().$type<InvocationError>(),
    createdAt: milliseconds().notNull(),
    finishedAt: milliseconds(),
  },
  (table) => [
    index("invocations_by_function").on(table.functionId, table.id),
    index("invocations_by_owner")
      .on(table.functionId, table.ownerId, table.id)
      .where(sql`${table.ownerId} is not null`),
    uniqueIndex("invocations_by_action")
      .on(table.actionId)
      .where(sql`${table.actionId} is not null`),
  ],
);
