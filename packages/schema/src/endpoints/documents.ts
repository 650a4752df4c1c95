import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { DataSourceParams } from "../knowledge/data-sources.ts";
import {
  DeletedDocument,
  DeletedFolder,
  Document,
  DocumentPage,
  DocumentParams,
  FolderParams,
  ListDocuments,
  UpsertDocument,
  UpsertedDocument,
  UpsertedFolder,
  UpsertFolder,
} from "../knowledge/documents.ts";
import { get, post } from "./defaults.ts";

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
  // A replay finds nothing where it was deleted meanwhile.
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
    summary: "Upload a document, in place of the one with the same id",
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
    summary: "Upload a folder, in place of the one with the same id",
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
