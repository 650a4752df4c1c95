import { sql } from "drizzle-orm";
import {
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { milliseconds, number, sid } from "./columns.ts";

/** Bytes of each chunk of a file; the last may have fewer. */
export const FILE_CHUNK_BYTES = 256 * 1024;

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** Announced files, whose bytes are not there yet, and readable files. */
export const files = pgTable(
  "files",
  {
    id: number().primaryKey(),
    sid: sid(),
    workspaceId: number().notNull(),
    /** The conversation of an inline fragment; null for an upload. */
    conversationId: number(),
    /** The key that announced an upload, or under which a user token did; null before keys were stored. */
    apiKeyId: number(),
    /** The user that an upload belongs to; null for the key's service user. */
    ownerId: number(),
    contentType: text().notNull(),
    fileName: text().notNull(),
    sizeBytes: number().notNull(),
    useCase: text().notNull(),
    status: text().$type<"created" | "ready">().notNull(),
    /** SHA-256 of the bytes, in hexadecimal. */
    sha256: text(),
    /** The text that agents read; null for a type without text. */
    text: text(),
    /** Pixels of an image; null until its header was looked at, 0 if that does not say it. */
    width: integer(),
    height: integer(),
    createdAt: milliseconds().notNull(),
    /** The upload that may write chunks, and the end of its lease by the clock of the database. */
    uploadId: text(),
    uploadUntil: timestamp({ withTimezone: true }),
  },
  (table) => [
    index("files_uploaded")
      .on(table.workspaceId, table.sizeBytes)
      .where(sql`${table.conversationId} is null`),
    index("files_by_workspace")
      .on(table.workspaceId, table.id)
      .where(sql`${table.conversationId} is null`),
    index("files_by_conversation")
      .on(table.conversationId)
      .where(sql`${table.conversationId} is not null`),
    // Of files without text: a text that was extracted is kept as long as there is one with its hash.
    index("files_by_hash")
      .on(table.workspaceId, table.sha256)
      .where(sql`${table.text} is null and ${table.sha256} is not null`),
    index("files_unfinished")
      .on(table.createdAt)
      .where(sql`${table.status} = 'created'`),
  ],
);

/**
 * The texts that were extracted from files that are not text, for each workspace, content and version of the
 * extractor.
 */
export const fileTexts = pgTable(
  "file_texts",
  {
    workspaceId: number().notNull(),
    /** SHA-256 of the file's bytes, in hexadecimal. */
    sha256: text().notNull(),
    /** Kind and version of the extractor. */
    extractor: text().notNull(),
    /** Null if there is none: `failure` says why. */
    text: text(),
    failure: text(),
    /** Of a PDF; null if they could not be counted. */
    pages: integer(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.sha256, table.extractor] })],
);

/** The bytes of files. Stored as they are: PostgreSQL does not try to compress them. */
export const fileChunks = pgTable(
  "file_chunks",
  {
    fileId: number()
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    data: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.position] })],
);

/** Secrets that the server generates, shared by all of its processes. */
export const serverSecrets = pgTable("server_secrets", {
  name: text().primaryKey(),
  value: text().notNull(),
});
