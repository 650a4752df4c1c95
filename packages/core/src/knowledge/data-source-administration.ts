import {
  dataSourceNodes,
  dataSourceRows,
  dataSourceViews,
  insertRow,
  logs,
  type Queryable,
  runs,
  webSources,
} from "@parley/db";
import {
  type AdministeredDataSourceView,
  type CreateDataSourceView,
  ParleyError,
  type PutDataSourceNode,
  type NodeIdentity,
  type Success,
} from "@parley/schema";
import { asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { requireSpace } from "../access/space-reach.ts";
import type { RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { inTransaction, type TransactionContext } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import {
  holdWorkspace,
  type KnowledgeServices,
  renderAdministered,
  selectReachedViews,
  viewNotFound,
  type ViewRow,
} from "./data-sources.ts";
import { deleteNode, writeNode } from "./nodes.ts";

const NODES_AT_ONCE = 200;
const ROWS_AT_ONCE = 5000;

/**
 * Creates a data source and its view, in a space that the caller reaches. Throws `space_not_found`, and
 * `data_source_quota_error` for more than a workspace may have.
 */
export async function createDataSourceView(
  context: RequestContext & KnowledgeServices,
  input: CreateDataSourceView,
): Promise<{ dataSourceView: AdministeredDataSourceView }> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    await holdWorkspace(db, workspace.id);
    const named = { workspaceId: workspace.id, sid: input.spaceId };
    const space = await requireSpace(db, context.caller, named);
    const held = await db.$count(dataSourceViews, eq(dataSourceViews.workspaceId, workspace.id));
    const { sources } = context.dataSourceLimits;
    if (held >= sources) {
      const message = `The workspace may have ${sources} data sources, and has ${held}`;
      throw new ParleyError("data_source_quota_error", message);
    }
    const now = context.now();
    const row = await insertRow(db, dataSourceViews, {
      sid: context.newId("dsv"),
      dataSourceSid: context.newId("dts"),
      workspaceId: workspace.id,
      spaceId: space.id,
      name: input.name,
      description: input.description,
      provider: input.provider,
      createdAt: now,
      updatedAt: now,
    });
    markCreated(row.sid);
    return { dataSourceView: renderAdministered({ view: row, spaceId: space.sid }) };
  });
}

/** Lists the data source views in the spaces that the caller reaches, the oldest first. */
export async function listDataSourceViews(
  context: RequestContext,
  input: PageOf,
): Promise<{ dataSourceViews: AdministeredDataSourceView[] } & PageEnd> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  const { caller } = context;
  const after = isAfter(dataSourceViews.id, input);
  const rows = await selectReachedViews(db, { caller, workspaceId }, after).limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ view }) => view.id);
  return { dataSourceViews: page.map(renderAdministered), ...end };
}

/**
 * Deletes a data source with its view, its documents first, in batches. Fragments keep their texts. Throws
 * `data_source_view_not_found`.
 */
export async function removeDataSourceView(
  request: RequestContext,
  input: NamedView,
): Promise<Success> {
  const context = onSlowDatabase(request);
  const { id } = await requireView(context, context.database.db, input);
  const isIt = sql`(${id}::bigint)`;
  while ((await deleteSomeNodes(context, isIt)) > 0);
  return inTransaction(context, async ({ db }) => {
    await requireView(context, db, input);
    await dropRefreshes(db, isIt);
    await db.delete(dataSourceNodes).where(eq(dataSourceNodes.viewId, id));
    await db.delete(dataSourceViews).where(eq(dataSourceViews.id, id));
    return { success: true };
  });
}

/** Ends the runs that read the web sources of views which are being deleted, a list or a query of their numbers. */
export async function dropRefreshes(db: Queryable, views: SQL): Promise<void> {
  const sids = db
    .select({ sid: webSources.sid })
    .from(webSources)
    .where(inArray(webSources.viewId, views));
  // The logs first, as all writers lock them.
  await db.delete(logs).where(inArray(logs.id, sids));
  await db.delete(runs).where(inArray(runs.logId, sids));
}

/**
 * Deletes a batch of the rows of tables, or else of the nodes, of these views, a list or a query of their numbers. Gives
 * their number.
 */
export async function deleteSomeNodes(context: TransactionContext, views: SQL): Promise<number> {
  const { viewId, nodeId } = dataSourceNodes;
  return inTransaction(context, async ({ db }) => {
    const rows = await deleteSomeRows(db, views);
    if (rows > 0) return rows;
    const some = db
      .select({ viewId, nodeId })
      .from(dataSourceNodes)
      .where(inArray(viewId, views))
      .orderBy(asc(viewId), asc(nodeId))
      .limit(NODES_AT_ONCE);
    const deleted = await db
      .delete(dataSourceNodes)
      .where(sql`(${viewId}, ${nodeId}) in ${some}`)
      .returning({ nodeId });
    return deleted.length;
  });
}

async function deleteSomeRows(db: Queryable, views: SQL): Promise<number> {
  const { viewId, nodeId, rowId } = dataSourceRows;
  const some = db
    .select({ viewId, nodeId, rowId })
    .from(dataSourceRows)
    .where(inArray(viewId, views))
    .limit(ROWS_AT_ONCE);
  const deleted = await db
    .delete(dataSourceRows)
    .where(sql`(${viewId}, ${nodeId}, ${rowId}) in ${some}`)
    .returning({ rowId });
  return deleted.length;
}

/**
 * Writes a node of a view that the caller reaches, in place of the one of the same id. Throws
 * `data_source_view_not_found`, and `data_source_quota_error`.
 */
export async function putDataSourceNode(
  context: RequestContext & KnowledgeServices,
  input: PutDataSourceNode,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const view = await requireView(context, db, input);
    const { nodeId, nodeType, title, contentType = "text/plain", content, sourceUrl } = input;
    const values = { nodeId, nodeType, title, contentType, content: content ?? "" };
    await writeNode(context, db, { view, values: { ...values, sourceUrl: sourceUrl ?? null } });
    return { success: true };
  });
}

/** Removes a node of a view; fragments that refer to it keep its text. */
export async function removeDataSourceNode(
  context: RequestContext,
  input: NodeIdentity,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const view = await requireView(context, db, input);
    await deleteNode(db, { view, nodeId: input.nodeId });
    return { success: true };
  });
}

/** What names a view. */
interface NamedView {
  readonly wId: string;
  readonly dataSourceViewId: string;
}

/** The view, locked, in a space that the caller reaches. Throws `data_source_view_not_found`. */
export async function requireView(
  context: RequestContext,
  db: Queryable,
  input: NamedView,
): Promise<ViewRow> {
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  await holdWorkspace(db, workspaceId);
  const { caller } = context;
  const named = eq(dataSourceViews.sid, input.dataSourceViewId);
  const [row] = await selectReachedViews(db, { caller, workspaceId }, named).for("update", {
    of: dataSourceViews,
  });
  if (row === undefined) throw viewNotFound("dataSourceViewId");
  return row.view;
}
