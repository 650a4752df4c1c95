import type { EmbeddingService, TokenScope } from "@parley/schema";
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
import { sql } from "drizzle-orm";
import {
  identified,
  identity,
  milliseconds,
  number,
  reference,
  sid,
  timestamps,
} from "./columns.ts";

/** A model that makes vectors, with the dimensions that are asked for; null for as many as it gives. */
export interface StoredEmbedding {
  readonly providerId: EmbeddingService;
  readonly modelId: string;
  readonly dimensions: number | null;
}

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
  /** The model that makes vectors of its documents; null for none: searches find by words. */
  embedding: jsonb().$type<StoredEmbedding>(),
  /** Whether the requests to the services of models are recorded. */
  recordsRequests: boolean().notNull().default(true),
  /** ISO 4217 code of the money of its prices and budgets. */
  currency: text().notNull().default("USD"),
  createdAt: milliseconds().notNull(),
  /** Since when its credentials are refused, if an operator has suspended it. */
  suspendedAt: milliseconds(),
  /** Set when its deletion begins: later writes into it fail. */
  deletedAt: milliseconds(),
});

export const users = pgTable(
  "users",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    /** The id that the workspace's own systems know the user by. */
    externalId: text(),
    username: text().notNull(),
    /** Empty for a service user, and for a user whose address is not known. */
    email: text().notNull(),
    firstName: text().notNull(),
    lastName: text().notNull(),
    fullName: text().notNull(),
    provider: text().notNull(),
    image: text().notNull(),
    createdAt: milliseconds().notNull(),
    /** Set when a member was removed; messages keep their author. */
    removedAt: milliseconds(),
  },
  (table) => [
    uniqueIndex("users_by_email")
      .on(table.workspaceId, sql`lower(${table.email})`)
      .where(sql`${table.email} <> '' and ${table.removedAt} is null`),
    uniqueIndex("users_by_external_id")
      .on(table.workspaceId, table.externalId)
      .where(sql`${table.externalId} is not null and ${table.removedAt} is null`),
  ],
);

/** Keys of workspaces, and operator keys (no workspace, no service user). */
export const apiKeys = pgTable(
  "api_keys",
  {
    ...identified(),
    workspaceId: number().references(() => workspaces.id),
    userId: number().references(() => users.id),
    name: text().notNull(),
    /** SHA-256 of the key, in hexadecimal. */
    hash: text().notNull().unique(),
    /** Whether it was set by hand in the form of a generated key, but without its checksum. */
    looksMistyped: boolean().notNull(),
    role: text().notNull(),
    /** The OpenID Connect issuer whose tokens act under the key; nobody knows the secret of such a key. */
    issuer: text(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds(),
    disabledAt: milliseconds(),
    revokedAt: milliseconds(),
  },
  (table) => [
    index("api_keys_by_workspace").on(table.workspaceId),
    uniqueIndex("api_keys_by_issuer")
      .on(table.workspaceId, table.issuer)
      .where(sql`${table.issuer} is not null`),
  ],
);

/**
 * The secrets that keys had before they were rotated. Like revoked keys, they stay: no start may make one
 * valid again.
 */
export const rotatedSecrets = pgTable(
  "rotated_secrets",
  {
    /** SHA-256 of the secret, in hexadecimal. */
    hash: text().primaryKey(),
    apiKeyId: reference(() => apiKeys.id),
    looksMistyped: boolean().notNull(),
    /** Until when it is accepted, as long as its key is. */
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index("rotated_secrets_by_key").on(table.apiKeyId)],
);

/** Tokens with which a user's own programs, such as a page in a browser, act under a key. */
export const userTokens = pgTable(
  "user_tokens",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    userId: reference(() => users.id),
    apiKeyId: reference(() => apiKeys.id),
    /** SHA-256 of the token, in hexadecimal. */
    hash: text().notNull().unique(),
    scopes: jsonb().$type<TokenScope[]>().notNull(),
    /** Numbers of the restricted spaces that it reaches if its key reaches them. */
    spaceIds: jsonb().$type<number[]>().notNull(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    index("user_tokens_by_user").on(table.userId, table.expiresAt),
    index("user_tokens_by_key").on(table.apiKeyId),
    index("user_tokens_by_expiry").on(table.expiresAt),
  ],
);

/**
 * What stands for a key or a user's token in a browser: sessions of pages, and the codes that open one, each
 * once.
 */
export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the session's token or of the code, in hexadecimal. */
    hash: text().primaryKey(),
    isCode: boolean().notNull(),
    /** SHA-256 of the credential that it stands for, which must be valid itself. */
    credentialHash: text().notNull(),
    ofUserToken: boolean().notNull(),
    apiKeyId: reference(() => apiKeys.id),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    index("sessions_by_key").on(table.apiKeyId),
    index("sessions_by_expiry").on(table.expiresAt),
  ],
);

export const spaces = pgTable(
  "spaces",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    name: text().notNull(),
    kind: text().notNull(),
    isRestricted: boolean().notNull(),
    ...timestamps(),
    /** Set when it is deleted. Its row stays, closed, so that what still names it does not open. */
    deletedAt: milliseconds(),
  },
  (table) => [index("spaces_by_workspace").on(table.workspaceId)],
);

/** Which restricted spaces a key reaches. */
export const apiKeySpaces = pgTable(
  "api_key_spaces",
  {
    apiKeyId: reference(() => apiKeys.id),
    spaceId: reference(() => spaces.id),
  },
  (table) => [primaryKey({ columns: [table.apiKeyId, table.spaceId] })],
);

/** Credentials of a workspace for the services that models run on. */
export const providerCredentials = pgTable(
  "provider_credentials",
  {
    workspaceId: reference(() => workspaces.id),
    providerId: text().notNull(),
    /** The deployment's key that encrypts it. */
    keyId: text().notNull(),
    /** AES-256-GCM, in base64: nonce, tag and ciphertext. */
    ciphertext: text().notNull(),
    ...timestamps(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.providerId] })],
);

/**
 * The bytes that a workspace stores: as they were last counted from its rows, and what processes have
 * written since. `docs/decisions/storage-is-counted-again.md`.
 */
export const workspaceStorage = pgTable("workspace_storage", {
  workspaceId: number()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  countedBytes: number().notNull().default(0),
  /** What processes said they wrote or removed since the last count began. */
  addedBytes: number().notNull().default(0),
  /** When the last count began, and how long it took; null before the first. */
  countedAt: milliseconds(),
  countMs: integer().notNull().default(0),
  /** When a process last said that it wrote or removed something. */
  changedAt: milliseconds().notNull().default(0),
  /** When a request was last refused because the workspace is full. */
  refusedAt: milliseconds().notNull().default(0),
  /** Until when one worker counts. */
  countingUntil: milliseconds().notNull().default(0),
});
