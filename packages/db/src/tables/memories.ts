import { index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import { identified, identity, milliseconds, number, timestamps } from "./columns.ts";
import { spaces, users, workspaces } from "./workspaces.ts";

/** Whose the files of a memory are. */
export type MemoryScope = "user" | "agent" | "agent-user" | "space";

/** Who wrote a version: a call of an agent, or a person. */
export interface MemoryOrigin {
  readonly conversationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly actionId?: string | undefined;
  readonly userId?: string | undefined;
}

/** Text from outside that a model had read when it wrote. */
export interface MemorySource {
  readonly type: "tool" | "document" | "memory" | "summary";
  readonly name: string;
}

/** A tree of files. Its row is locked by whoever writes into it. */
export const memoryScopes = pgTable(
  "memory_scopes",
  {
    id: identity(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    scope: text().$type<MemoryScope>().notNull(),
    /** Null unless it is of one user. */
    userId: number().references(() => users.id, { onDelete: "cascade" }),
    /** Public id of the agent; null unless it is of one agent. */
    agentSid: text(),
    /** Null unless it is of a space. */
    spaceId: number().references(() => spaces.id, { onDelete: "cascade" }),
  },
  (table) => [
    unique("memory_scopes_by_owner")
      .on(table.workspaceId, table.scope, table.userId, table.agentSid, table.spaceId)
      .nullsNotDistinct(),
    index("memory_scopes_by_user").on(table.userId),
    index("memory_scopes_by_space").on(table.spaceId),
  ],
);

/** A file that agents remember. Directories are what paths of files have in common. */
export const memoryFiles = pgTable(
  "memory_files",
  {
    ...identified(),
    scopeId: number()
      .notNull()
      .references(() => memoryScopes.id, { onDelete: "cascade" }),
    /** Below the scope, without a leading slash. */
    path: text().notNull(),
    content: text().notNull(),
    bytes: integer().notNull(),
    version: integer().notNull(),
    /** Empty unless any part of it was written after text from outside was read. */
    derivedFrom: jsonb().$type<MemorySource[]>().notNull().default([]),
    ...timestamps(),
  },
  (table) => [unique("memory_files_by_path").on(table.scopeId, table.path)],
);

/** The newest versions of a file, the current one included. */
export const memoryVersions = pgTable(
  "memory_versions",
  {
    id: identity(),
    fileId: number()
      .notNull()
      .references(() => memoryFiles.id, { onDelete: "cascade" }),
    version: integer().notNull(),
    path: text().notNull(),
    content: text().notNull(),
    origin: jsonb().$type<MemoryOrigin>().notNull(),
    derivedFrom: jsonb().$type<MemorySource[]>().notNull().default([]),
    createdAt: milliseconds().notNull(),
  },
  (table) => [unique("memory_versions_by_file").on(table.fileId, table.version)],
);

/** A change of a shared scope that waits for a person, because text from outside was read before it. */
export const memoryProposals = pgTable(
  "memory_proposals",
  {
    ...identified(),
    scopeId: number()
      .notNull()
      .references(() => memoryScopes.id, { onDelete: "cascade" }),
    change: text().$type<"write" | "remove" | "move">().notNull(),
    path: text().notNull(),
    /** The path that it moves to; null for other changes. */
    newPath: text(),
    /** The whole new text; null unless it is written. */
    content: text(),
    /** The version that it changes; null for a new file. */
    baseVersion: integer(),
    origin: jsonb().$type<MemoryOrigin>().notNull(),
    derivedFrom: jsonb().$type<MemorySource[]>().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index("memory_proposals_by_scope").on(table.scopeId, table.id)],
);
