import { dataSourceNodes } from "@parley/db";
import {
  type DataSource,
  type DataSourceParams,
  type DocumentBlob,
  type DocumentParams,
  type SetParents,
  type UpdatedParents,
  type UpsertQueue,
} from "@parley/schema";
import { and, eq, getTableColumns, isNull } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { renderDataSource, requireDataSource } from "./data-sources.ts";
import { parentsOf } from "./document-text.ts";
import { unknownNode } from "./documents.ts";
import { isNode } from "./nodes.ts";

/** Reads a data source. Throws `data_source_not_found`. */
export async function getDataSource(
  context: Context,
  { dsId, spaceId }: DataSourceParams,
): Promise<{ data_source: DataSource }> {
  const named = { dsId, spaceId, isLocked: false };
  const view = await requireDataSource(context.database.db, context, named);
  return { data_source: renderDataSource(context, view) };
}

/** Counts the documents of a data source that are not divided. Throws `data_source_not_found`. */
export async function checkUpsertQueue(
  context: Context,
  { dsId, spaceId }: DataSourceParams,
): Promise<UpsertQueue> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const { viewId, nodeType, dividedAt } = dataSourceNodes;
  const isWaiting = and(eq(viewId, view.id), eq(nodeType, "document"), isNull(dividedAt));
  return { running_count: await db.$count(dataSourceNodes, isWaiting) };
}

/** Reads a document as it was uploaded. Throws `data_source_not_found` and `data_source_document_not_found`. */
export async function getDocumentBlob(
  context: Context,
  { dsId, spaceId, documentId }: DocumentParams,
): Promise<{ blob: DocumentBlob }> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const { search: _search, ...columns } = getTableColumns(dataSourceNodes);
  const [row] = await db
    .select(columns)
    .from(dataSourceNodes)
    .where(and(isNode(view, documentId), eq(dataSourceNodes.nodeType, "document")));
  if (row === undefined) throw unknownNode();
  return {
    blob: {
      document_id: row.nodeId,
      timestamp: row.timestamp,
      tags: row.tags,
      parent_id: row.parents[1] ?? null,
      parents: row.parents,
      source_url: row.sourceUrl,
      section: { prefix: null, content: row.content, sections: [] },
      title: row.title,
      mime_type: row.contentType,
      provider_visibility: row.providerVisibility,
    },
  };
}

/**
 * Moves a document to other folders. Throws `data_source_not_found`, `data_source_document_not_found`, and
 * `invalid_request_error` for parents that contradict each other.
 */
export async function setDocumentParents(
  context: KeyedContext,
  { dsId, spaceId, documentId, parents: given, parent_id: parentId }: DocumentParams & SetParents,
): Promise<UpdatedParents> {
  const parents = parentsOf(documentId, { parents: given, parent_id: parentId ?? undefined });
  return inTransactionOnce(context, { id: documentId }, async ({ db }) => {
    const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: true });
    const [moved] = await db
      .update(dataSourceNodes)
      .set({ parents, updatedAt: context.now() })
      .where(and(isNode(view, documentId), eq(dataSourceNodes.nodeType, "document")))
      .returning({ nodeId: dataSourceNodes.nodeId });
    if (moved === undefined) throw unknownNode();
    return { updated: true };
  });
}

/** Replays a move. */
export function replayParents(): Promise<UpdatedParents> {
  return Promise.resolve({ updated: true });
}
