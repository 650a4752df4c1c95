import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";

/** What stands in a recorded request in place of a text or of bytes that are stored elsewhere. */
export type RequestReference =
  | { readonly message: string }
  /** The text of a step of an answer. */
  | { readonly answer: string; readonly step: number }
  /** The output of a call of such a step, by the id that the model gave it. */
  | { readonly answer: string; readonly step: number; readonly call: string }
  /** The instructions of a version of an agent, by its number. */
  | { readonly instructions: number }
  /** The text of a summary, by its number in the conversation. */
  | { readonly summary: number }
  /** The bytes of a file, in base64. */
  | { readonly file: string; readonly sha256: string }
  /** JSON that is in no other row, by its hash. */
  | { readonly piece: string };

/** The body of a request: its JSON as it was sent, and references in it. */
export type RequestTemplate = readonly (string | RequestReference)[];

/** The bytes of the parts of a body, and the tokens that its files are counted with. */
export type RequestParts = Readonly<Partial<Record<string, number>>>;

/** The last request that was sent for each step of an answer. No foreign keys, as in the tables of conversations. */
export const recordedRequests = pgTable(
  "recorded_requests",
  {
    messageId: text().notNull(),
    step: integer().notNull(),
    workspaceId: number().notNull(),
    conversationId: number().notNull(),
    /** The attempt at the turn that has sent it. */
    attempt: integer().notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    sentAt: milliseconds().notNull(),
    /** Of the bytes that were sent; SHA-256 in hexadecimal. */
    sizeBytes: number().notNull(),
    sha256: text().notNull(),
    /** JSON of a `RequestTemplate`; null if the body was too large. */
    template: text(),
    /** JSON of `RequestParts`. */
    parts: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.step] }),
    index("recorded_requests_by_conversation").on(table.conversationId, table.sentAt),
    index("recorded_requests_by_workspace").on(table.workspaceId),
    index("recorded_requests_by_time").on(table.sentAt),
  ],
);

/** Parts of recorded requests that are in no other row, once for each conversation. */
export const requestPieces = pgTable(
  "request_pieces",
  {
    conversationId: number().notNull(),
    /** SHA-256 of the text, in hexadecimal. */
    sha256: text().notNull(),
    workspaceId: number().notNull(),
    text: text().notNull(),
    /** No request that was sent more than an hour later holds it. */
    usedAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.sha256] }),
    index("request_pieces_by_workspace").on(table.workspaceId),
    index("request_pieces_by_time").on(table.usedAt),
  ],
);
