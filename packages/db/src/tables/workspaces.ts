import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import { identity, milliseconds, number, sid } from "./columns.ts";

export const workspaces = pgTable("workspaces", {
  id: identity(),
  sid: sid(),
  name: text().notNull(),
  segmentation: text(),
  flags: jsonb().$type<string[]>().notNull().default([]),
  ssoEnforced: boolean().notNull().default(false),
  whiteListedProviders: jsonb().$type<string[]>().notNull().default([]),
  defaultEmbeddingProvider: text(),
  region: text().notNull().default("us"),
  regionalModelsOnly: boolean().notNull().default(false),
  /** Pairs that are enabled, each as `provider/model`. */
  models: jsonb().$type<string[]>().notNull().default([]),
  createdAt: milliseconds().notNull(),
});

export const users = pgTable(
  "users",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    username: text().notNull(),
    email: text().notNull(),
    firstName: text().notNull(),
    lastName: text().notNull(),
    fullName: text().notNull(),
    provider: text().notNull(),
    image: text().notNull(),
    createdAt: milliseconds().notNull(),
    /** Set when a member left; what they wrote stays theirs. */
    removedAt: milliseconds(),
  },
  (table) => [
    uniqueIndex("users_by_email")
      .on(table.workspaceId, sql`lower(${table.email})`)
      .where(sql`${table.email} <> '' and ${table.removedAt} is null`),
  ],
);

/** Keys of workspaces, and operator keys (no workspace, no service user). */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number().references(() => workspaces.id),
    userId: number().references(() => users.id),
    name: text().notNull(),
    /** SHA-256 of the key, in hexadecimal. */
    hash: text().notNull().unique(),
    /** Whether it was set by hand in the form of a generated key, but without its checksum. */
    looksMistyped: boolean().notNull(),
    role: text().notNull(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds(),
    disabledAt: milliseconds(),
    revokedAt: milliseconds(),
  },
  (table) => [index("api_keys_by_workspace").on(table.workspaceId)],
);

export const spaces = pgTable(
  "spaces",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    kind: text().notNull(),
    isRestricted: boolean().notNull(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [index("spaces_by_workspace").on(table.workspaceId)],
);

/** Which restricted spaces a key reaches. */
export const apiKeySpaces = pgTable(
  "api_key_spaces",
  {
    apiKeyId: number()
      .notNull()
      .references(() => apiKeys.id),
    spaceId: number()
      .notNull()
      .references(() => spaces.id),
  },
  (table) => [primaryKey({ columns: [table.apiKeyId, table.spaceId] })],
);

/** Credentials of a workspace for the services that models run on. */
export const providerCredentials = pgTable(
  "provider_credentials",
  {
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    providerId: text().notNull(),
    /** Which of the deployment's keys it is encrypted with. */
    keyId: text().notNull(),
    /** AES-256-GCM, in base64: nonce, tag and ciphertext. */
    sealed: text().notNull(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.providerId] })],
);
