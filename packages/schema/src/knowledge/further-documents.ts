import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Milliseconds, Reference } from "../parsing/text.ts";
import { DataSource, DataSourceParams } from "./data-sources.ts";
import { DocumentParams } from "./documents.ts";
import { FoundDocuments, SearchDocuments } from "./searches.ts";

/** Body of the move of a document to other folders. */
export const SetParents = z.object({
  parents: z
    .array(Reference)
    .min(1)
    .max(32)
    .describe("Its own id, then its folder's, and so on up to the outermost")
    .meta({ example: ["opening-hours", "shops"] }),
  parent_id: Reference.nullish().describe("Id of its folder: the second of parents"),
});
export type SetParents = z.output<typeof SetParents>;

export const UpdatedParents = z.object({ updated: z.literal(true).describe("Always true") });
export type UpdatedParents = z.infer<typeof UpdatedParents>;

/** What an upload of a document said. */
export const DocumentBlob = z.object({
  document_id: z.string().describe("Id of the document").meta({ example: "opening-hours" }),
  timestamp: Milliseconds.describe("When the content last changed"),
  tags: z.array(z.string()).describe("Tags of the document"),
  parent_id: z.string().nullable().describe("Id of its folder"),
  parents: z
    .array(z.string())
    .describe("Its own id and those of its folders")
    .meta({ example: ["opening-hours"] }),
  source_url: z.string().nullable().describe("Origin of the content"),
  section: z
    .object({
      prefix: z.null().describe("Always null"),
      content: z.string().describe("The text").meta({ example: "We open at nine." }),
      sections: z.array(z.never()).describe("Always empty: sections are joined when uploaded"),
    })
    .describe("The text as a section"),
  title: z.string().describe("Title of the document").meta({ example: "Opening hours" }),
  mime_type: z.string().describe("MIME type of the text").meta({ example: "text/plain" }),
  provider_visibility: z
    .enum(["public", "private"])
    .nullable()
    .describe("Who can see it at its origin"),
});
export type DocumentBlob = z.infer<typeof DocumentBlob>;

export const UpsertQueue = z.object({
  running_count: z
    .int()
    .describe("Documents that are stored and not yet divided into the parts that agents find")
    .meta({ example: 0 }),
});
export type UpsertQueue = z.infer<typeof UpsertQueue>;

const root = "/api/v1/w/{wId}/data_sources/{dsId}";
const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}/data_sources/{dsId}";
const read = {
  ...get,
  scope: "knowledge:read",
  tags: ["knowledge"],
  errors: ["data_source_not_found"],
} as const;
const ofDocument = {
  ...read,
  params: DocumentParams,
  errors: ["data_source_not_found", "data_source_document_not_found"],
} as const;

/** Further operations on data sources and their documents. */
export const furtherDocumentEndpoints = {
  "dataSources.get": {
    ...read,
    summary: "Read a data source",
    path: root,
    alsoAt: inSpace,
    params: DataSourceParams,
    output: z.object({ data_source: DataSource.describe("The data source") }),
  },
  "dataSources.search": {
    ...read,
    summary: "Search the documents of a data source, as far as its view shows them",
    path: `${root}/search`,
    alsoAt: `${inSpace}/search`,
    params: DataSourceParams,
    query: SearchDocuments,
    output: FoundDocuments,
  },
  "dataSources.checkUpsertQueue": {
    ...read,
    summary: "Count the documents of a data source that agents do not find yet",
    path: `${root}/check_upsert_queue`,
    alsoAt: `${inSpace}/check_upsert_queue`,
    params: DataSourceParams,
    output: UpsertQueue,
  },
  "documents.getBlob": {
    ...ofDocument,
    summary: "Read a document as it was uploaded",
    path: `${root}/documents/{documentId}/blob`,
    alsoAt: `${inSpace}/documents/{documentId}/blob`,
    output: z.object({ blob: DocumentBlob.describe("What the upload said") }),
  },
  "documents.setParents": {
    ...ofDocument,
    ...post,
    role: "builder",
    scope: null,
    tags: ofDocument.tags,
    errors: ofDocument.errors,
    summary: "Move a document to other folders",
    path: `${root}/documents/{documentId}/parents`,
    alsoAt: `${inSpace}/documents/{documentId}/parents`,
    body: SetParents,
    output: UpdatedParents,
  },
} as const satisfies Record<string, Endpoint>;
