import { createHash } from "node:crypto";
import { dataSourceNodes } from "@parley/db";
import {
  type DataSourceParams,
  type DeletedDocument,
  type DeletedFolder,
  type Document,
  type DocumentPage,
  type DocumentParams,
  type FolderParams,
  type ListDocuments,
  ParleyError,
  type UpsertDocument,
  type UpsertedDocument,
  type UpsertedFolder,
  type UpsertFolder,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import {
  holdWorkspace,
  type KnowledgeServices,
  renderDataSource,
  requireDataSource,
  type ViewRow,
} from "./data-sources.ts";
import { parentsOf, textOf } from "./document-text.ts";
import type { Excerpt } from "./match-nodes.ts";
import {
  deleteNode,
  findShownNode,
  isNode,
  type NodeRow,
  type NodeValues,
  shownColumns,
  type ShownNode,
  writeNode,
} from "./nodes.ts";

/** About the characters of a token. */
const TOKEN_CHARACTERS = 4;

/** The context of uploads. */
export type UploadContext = KeyedContext & KnowledgeServices;

/**
 * Writes a document in place of the one with the same id. Throws `data_source_not_found`,
 * `data_source_quota_error`, and `invalid_request_error` for a body that contradicts itself.
 */
export async function upsertDocument(
  context: UploadContext,
  input: DocumentParams & UpsertDocument,
): Promise<UpsertedDocument> {
  const { documentId: nodeId, source_url: sourceUrl, tags = [], mime_type: mimeType } = input;
  const { view, node } = await uploadNode(context, input, {
    nodeId,
    nodeType: "document",
    title: input.title || nodeId,
    contentType: mimeType ?? "text/plain",
    content: textOf(input),
    sourceUrl: sourceUrl ?? null,
    tags,
    parents: parentsOf(nodeId, input),
    timestamp: input.timestamp ?? context.now(),
  });
  return renderUpserted(context, input, { view, node });
}

/** Replays an upload with the document as it now is. Throws `data_source_document_not_found`. */
export async function replayDocument(
  context: Context,
  input: DocumentParams & UpsertDocument,
): Promise<UpsertedDocument> {
  const { view, node } = await requireNode(context, input, input.documentId);
  return renderUpserted(context, input, { view, node });
}

/** A data source and a node of it. */
export interface NodeInView {
  readonly view: ViewRow;
  readonly node: ShownNode;
}

/** Writes a node into a data source, once per Idempotency-Key. Throws `data_source_not_found`. */
export async function uploadNode(
  context: UploadContext,
  { dsId, spaceId }: DataSourceParams,
  values: NodeValues,
): Promise<NodeInView> {
  return inTransactionOnce(context, { id: values.nodeId }, async ({ db }) => {
    await holdWorkspace(db, context.caller.workspace.id);
    const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: true });
    return { view, node: await writeNode(context, db, { view, values }) };
  });
}

/** A node of a data source. Throws `data_source_not_found`, `data_source_document_not_found`. */
export async function requireNode(
  context: Context,
  { dsId, spaceId }: DataSourceParams,
  nodeId: string,
): Promise<NodeInView> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const node = await findShownNode(db, view, nodeId);
  if (node === undefined) throw unknownNode();
  return { view, node };
}

/** The error for a document or folder that the data source does not have. */
export function unknownNode(): ParleyError {
  const message = "The data source has no such document or folder";
  return new ParleyError("data_source_document_not_found", message);
}

/** Reads a document with its text. Throws `data_source_document_not_found`. */
export async function getDocument(
  context: Context,
  { dsId, spaceId, documentId }: DocumentParams,
): Promise<{ document: Document }> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const [row] = await db
    .select({ ...shownColumns, content: dataSourceNodes.content })
    .from(dataSourceNodes)
    .where(and(isNode(view, documentId), eq(dataSourceNodes.nodeType, "document")));
  if (row === undefined) throw unknownNode();
  return { document: { ...renderDocument(view, row), text: row.content } };
}

/** Lists the documents of a data source without their texts, by their ids. */
export async function listDocuments(
  context: Context,
  { dsId, spaceId, limit, offset }: DataSourceParams & ListDocuments,
): Promise<DocumentPage> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const { viewId, nodeType, nodeId } = dataSourceNodes;
  const isListed = and(eq(viewId, view.id), eq(nodeType, "document"));
  const rows = await db
    .select(shownColumns)
    .from(dataSourceNodes)
    .where(isListed)
    .orderBy(asc(nodeId))
    .limit(limit)
    .offset(offset);
  const total = await db.$count(dataSourceNodes, isListed);
  return { documents: rows.map((row) => renderDocument(view, row)), total };
}

/** Deletes a document. Throws `data_source_document_not_found`. */
export async function deleteDocument(
  context: Context,
  input: DocumentParams,
): Promise<DeletedDocument> {
  const { documentId } = input;
  await deleteUploaded(context, input, { nodeId: documentId, type: "document" });
  return { document: { document_id: documentId } };
}

/** Deletes a folder; what names it as its parent stays. Throws `data_source_document_not_found`. */
export async function deleteFolder(context: Context, input: FolderParams): Promise<DeletedFolder> {
  const { folderId } = input;
  await deleteUploaded(context, input, { nodeId: folderId, type: "folder" });
  return { folder: { folder_id: folderId } };
}

async function deleteUploaded(
  context: Context,
  { dsId, spaceId }: DataSourceParams,
  node: { nodeId: string; type: NodeRow["nodeType"] },
): Promise<void> {
  await inTransaction(context, async ({ db }) => {
    const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: true });
    if (!(await deleteNode(db, { view, ...node }))) throw unknownNode();
  });
}

function renderUpserted(
  context: Context,
  input: DocumentParams & UpsertDocument,
  { view, node }: NodeInView,
): UpsertedDocument {
  const data_source = renderDataSource(context, view);
  if (input.async === true) return { document: { document_id: node.nodeId }, data_source };
  const document = renderDocument(view, node);
  if (input.light_document_output !== true) return { document, data_source };
  const { hash, text_size, chunk_count, created } = document;
  const token_count = Math.ceil(text_size / TOKEN_CHARACTERS);
  return { document: { hash, text_size, chunk_count, token_count, created }, data_source };
}

/** A document as the wire shows it, with what of it was found. */
export function renderDocument(
  view: Pick<ViewRow, "dataSourceSid">,
  node: ShownNode,
  found?: Excerpt & { readonly score: number },
): Document {
  return {
    data_source_id: view.dataSourceSid,
    document_id: node.nodeId,
    title: node.title,
    mime_type: node.contentType,
    timestamp: node.timestamp,
    parent_id: node.parents[1] ?? null,
    parents: node.parents,
    tags: node.tags,
    source_url: node.sourceUrl,
    hash: node.contentHash,
    text_size: node.contentBytes,
    chunk_count: node.contentBytes === 0 ? 0 : 1,
    created: node.createdAt,
    chunks:
      found === undefined
        ? []
        : [{ ...found, hash: createHash("sha256").update(found.text).digest("hex") }],
  };
}

/**
 * Writes a folder in place of the one with the same id. Throws `data_source_not_found`,
 * `data_source_quota_error`, and `invalid_request_error` for a body that contradicts itself.
 */
export async function upsertFolder(
  context: UploadContext,
  input: FolderParams & UpsertFolder,
): Promise<UpsertedFolder> {
  const { folderId: nodeId, title, mime_type: contentType, timestamp, source_url } = input;
  const written = await uploadNode(context, input, {
    nodeId,
    nodeType: "folder",
    title,
    contentType,
    sourceUrl: source_url ?? null,
    parents: parentsOf(nodeId, input),
    timestamp,
    providerVisibility: input.provider_visibility ?? null,
  });
  return renderFolder(context, written);
}

/** Replays an upload with the folder as it now is. Throws `data_source_document_not_found`. */
export async function replayFolder(
  context: Context,
  input: FolderParams & UpsertFolder,
): Promise<UpsertedFolder> {
  return renderFolder(context, await requireNode(context, input, input.folderId));
}

function renderFolder(context: Context, { view, node }: NodeInView): UpsertedFolder {
  return {
    folder: {
      data_source_id: view.dataSourceSid,
      folder_id: node.nodeId,
      title: node.title,
      parents: node.parents,
      timestamp: node.timestamp,
    },
    data_source: renderDataSource(context, view),
  };
}
