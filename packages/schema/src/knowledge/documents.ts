import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { fromQuery, Milliseconds, optional, Reference, ShortText, text } from "../parsing/text.ts";
import { Instant, timeOf } from "../parsing/times.ts";
import { DataSource, DataSourceParams } from "./data-sources.ts";

/** Characters of a document, as of the inline text of a fragment. */
export const MAX_DOCUMENT_CHARACTERS = 512 * 1024;

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;

export const DocumentParams = DataSourceParams.extend({
  documentId: Reference.describe("Id of the document, which its uploader chooses").meta({
    example: "opening-hours",
  }),
});
export type DocumentParams = z.output<typeof DocumentParams>;

export const FolderParams = DataSourceParams.extend({
  folderId: Reference.describe("Id of the folder, which its uploader chooses").meta({
    example: "shops",
  }),
});
export type FolderParams = z.output<typeof FolderParams>;

export const title = text(512).meta({ example: "Opening hours" });
export const mimeType = ShortText.regex(MIME_TYPE, {
  error: "must be a MIME type such as text/plain",
});
const sourceUrl = optional(text(2048)).describe("Origin of the content");
export const timestamp = timeOf(Instant.min(0))
  .describe("When the content last changed, in milliseconds")
  .meta({ example: 1_780_000_000_000 });

export const placement = {
  parent_id: optional(Reference).describe("Id of its folder; none by default"),
  parents: optional(z.array(Reference).max(32)).describe(
    "Its own id, then its folder's, and so on up to the outermost",
  ),
  source_url: sourceUrl,
};

const part = text(MAX_DOCUMENT_CHARACTERS).nullish();
const section = {
  prefix: part.describe("Heading of the section"),
  content: part.describe("Text of the section"),
};

/** Sections that have these in them. */
const around = <Inner extends z.ZodType>(inner: Inner) =>
  z.object({ ...section, sections: z.array(inner).max(1000).nullish().describe("Sections in it") });

/** A part of a structured text: five levels of sections. */
const DocumentSection = around(around(around(around(z.object(section)))));

/** Body of an upload: `text`, or `section`. */
export const UpsertDocument = z.object({
  title: optional(title).describe("Title; the id of the document by default"),
  text: optional(text(MAX_DOCUMENT_CHARACTERS))
    .describe("Text for agents; either this or section")
    .meta({ example: "We open at nine." }),
  section: optional(DocumentSection).describe(
    "The text as sections, joined in order; up to five levels",
  ),
  mime_type: optional(mimeType).describe("MIME type of the text; text/plain by default"),
  tags: optional(z.array(ShortText).max(100)).describe("Tags, for searches"),
  timestamp: optional(timestamp).describe("When the content last changed; now by default"),
  ...placement,
  light_document_output: optional(z.boolean()).describe("Whether to return only the sizes"),
  async: optional(z.boolean()).describe(
    "Whether to return only the id; the document is stored either way",
  ),
  upsert_context: optional(
    z.object({
      sync_type: z.enum(["batch", "incremental"]).nullish().describe("Origin of the upload"),
    }),
  ).describe("Accepted but not used"),
});
export type UpsertDocument = z.output<typeof UpsertDocument>;

const sizes = {
  hash: z.string().describe("SHA-256 of the text, in hexadecimal").meta({
    example: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
  }),
  text_size: z.int().describe("Bytes of the text, as UTF-8").meta({ example: 16 }),
  chunk_count: z.int().describe("1, or 0 for an empty text").meta({ example: 1 }),
  created: Milliseconds.describe("When the document was first uploaded"),
};

const DocumentChunk = z.object({
  text: z.string().describe("A part of the text").meta({ example: "We open at nine." }),
  hash: z.string().describe("SHA-256 of the part, in hexadecimal").meta({ example: "b5bb9d80" }),
  offset: z.int().describe("Offset in the text").meta({ example: 0 }),
  score: z.number().nullable().describe("Score of the match; null without a search"),
});

/** A document of a data source. */
export const Document = z.object({
  data_source_id: z.string().describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  document_id: z.string().describe("Id of the document").meta({ example: "opening-hours" }),
  title: z.string().describe("Title of the document").meta({ example: "Opening hours" }),
  mime_type: z.string().describe("MIME type of the text").meta({ example: "text/plain" }),
  timestamp: Milliseconds.describe("When the content last changed"),
  parent_id: z.string().nullable().describe("Id of its folder"),
  parents: z
    .array(z.string())
    .describe("Its own id and those of its folders")
    .meta({ example: ["opening-hours"] }),
  tags: z.array(z.string()).describe("Tags of the document"),
  source_url: z.string().nullable().describe("Origin of the content"),
  ...sizes,
  chunks: z.array(DocumentChunk).describe("In a search, the part that matches; otherwise empty"),
  text: z
    .string()
    .optional()
    .describe("The text, if a single document is read")
    .meta({ example: "We open at nine." }),
});
export type Document = z.infer<typeof Document>;

const LightDocument = z.object({
  ...sizes,
  token_count: z.int().describe("Approximate number of tokens in the text").meta({ example: 4 }),
});

const NamedDocument = z.object({
  document_id: z.string().describe("Id of the document").meta({ example: "opening-hours" }),
});

export const UpsertedDocument = z.object({
  document: z
    .union([Document, LightDocument, NamedDocument])
    .describe("The document; its sizes, or its id, where those were asked for"),
  data_source: DataSource.describe("The data source"),
});
export type UpsertedDocument = z.infer<typeof UpsertedDocument>;

export const DeletedDocument = z.object({ document: NamedDocument.describe("What was deleted") });
export type DeletedDocument = z.infer<typeof DeletedDocument>;

/** Query of the list of documents. */
export const ListDocuments = z.object({
  limit: optional(fromQuery(z.int().min(1).max(100)))
    .transform((limit) => limit ?? 100)
    .describe("Documents of a page, 1 to 100; 100 by default")
    .meta({ example: 100 }),
  offset: optional(fromQuery(z.int().min(0).max(1_000_000)))
    .transform((offset) => offset ?? 0)
    .describe("Documents before the page; 0 by default")
    .meta({ example: 0 }),
});
export type ListDocuments = z.output<typeof ListDocuments>;

export const DocumentPage = z.object({
  documents: z.array(Document).describe("Documents without their texts, by id"),
  total: z.int().describe("Documents of the data source").meta({ example: 1 }),
});
export type DocumentPage = z.infer<typeof DocumentPage>;

/** Body of the upload of a folder. */
export const UpsertFolder = z.object({
  title: title.min(1).describe("Title of the folder").meta({ example: "Shops" }),
  timestamp,
  mime_type: mimeType.describe("MIME type of the folder").meta({ example: "inode/directory" }),
  ...placement,
  provider_visibility: optional(z.enum(["public", "private"])).describe(
    "Who can see the folder at its origin",
  ),
});
export type UpsertFolder = z.output<typeof UpsertFolder>;

export const UpsertedFolder = z.object({
  folder: z
    .object({
      data_source_id: z
        .string()
        .describe("Id of the data source")
        .meta({ example: "dts_Mx2Cf9Jt6R" }),
      folder_id: z.string().describe("Id of the folder").meta({ example: "shops" }),
      title: z.string().describe("Title of the folder").meta({ example: "Shops" }),
      parents: z
        .array(z.string())
        .describe("Its own id and those of its folders")
        .meta({ example: ["shops"] }),
      timestamp: Milliseconds.describe("When the folder last changed"),
    })
    .describe("The folder"),
  data_source: DataSource.describe("The data source"),
});
export type UpsertedFolder = z.infer<typeof UpsertedFolder>;

export const DeletedFolder = z.object({
  folder: z
    .object({ folder_id: z.string().describe("Id of the folder").meta({ example: "shops" }) })
    .describe("What was deleted"),
});
export type DeletedFolder = z.infer<typeof DeletedFolder>;

const root = "/api/v1/w/{wId}/data_sources/{dsId}";
const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}/data_sources/{dsId}";

const errors = ["data_source_not_found"] as const;
const read = { ...get, scope: "knowledge:read", tags: ["knowledge"], errors } as const;
const written = { role: "builder", scope: null } as const;
const ofDocument = {
  path: `${root}/documents/{documentId}`,
  alsoAt: `${inSpace}/documents/{documentId}`,
  params: DocumentParams,
} as const;
const ofFolder = {
  path: `${root}/folders/{folderId}`,
  alsoAt: `${inSpace}/folders/{folderId}`,
  params: FolderParams,
} as const;
const unknown = { errors: [...errors, "data_source_document_not_found"] } as const;
const upsert = {
  ...read,
  ...post,
  ...written,
  // A replay finds nothing if it was deleted in the meantime.
  errors: [...unknown.errors, "data_source_quota_error"],
} as const;

/** Operations on the documents and folders of data sources. */
export const documentEndpoints = {
  "documents.list": {
    ...read,
    summary: "List the documents of a data source",
    path: `${root}/documents`,
    alsoAt: `${inSpace}/documents`,
    params: DataSourceParams,
    query: ListDocuments,
    output: DocumentPage,
  },
  "documents.upsert": {
    ...upsert,
    ...ofDocument,
    summary: "Upload a document, replacing the one with the same id",
    body: UpsertDocument,
    output: UpsertedDocument,
  },
  "documents.get": {
    ...read,
    ...ofDocument,
    ...unknown,
    summary: "Read a document with its text",
    output: z.object({ document: Document.describe("The document") }),
  },
  "documents.delete": {
    ...read,
    ...written,
    ...ofDocument,
    ...unknown,
    summary: "Delete a document; fragments that refer to it keep its text",
    method: "DELETE",
    output: DeletedDocument,
  },
  "folders.upsert": {
    ...upsert,
    ...ofFolder,
    summary: "Upload a folder, replacing the one with the same id",
    body: UpsertFolder,
    output: UpsertedFolder,
  },
  "folders.delete": {
    ...read,
    ...written,
    ...ofFolder,
    ...unknown,
    summary: "Delete a folder; documents that name it as their parent stay",
    method: "DELETE",
    output: DeletedFolder,
  },
} as const satisfies Record<string, Endpoint>;
