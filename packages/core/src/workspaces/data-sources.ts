import { dataSourceNodes, dataSourceViews, insertRow, type Queryable, spaces } from "@parley/db";
import {
  type CreateDataSourceView,
  type DataSourceView,
  ParleyError,
  type PutDataSourceNode,
  type RemoveDataSourceNode,
  type Success,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { reachesSpace, requireSpace } from "../access/space-reach.ts";
import type { Context, RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/numbered-pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "./administered-workspace.ts";

type ViewRow = typeof dataSourceViews.$inferSelect;
type NodeRow = typeof dataSourceNodes.$inferSelect;

/** Registers a data source view in a space that the caller reaches. Throws `space_not_found`. */
export async function createDataSourceView(
  context: RequestContext,
  input: CreateDataSourceView,
): Promise<{ dataSourceView: DataSourceView }> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const named = { workspaceId: workspace.id, sid: input.spaceId };
    const space = await requireSpace(db, context.caller, named);
    const row = await insertRow(db, dataSourceViews, {
      sid: context.newId("dsv"),
      workspaceId: workspace.id,
      spaceId: space.id,
      name: input.name,
      provider: input.provider,
      createdAt: context.now(),
    });
    markCreated(row.sid);
    return { dataSourceView: renderView(row, space.sid) };
  });
}

/** Lists the data source views in the spaces that the caller reaches, the oldest first. */
export async function listDataSourceViews(
  context: RequestContext,
  input: PageOf,
): Promise<{ dataSourceViews: DataSourceView[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select({ view: dataSourceViews, spaceId: spaces.sid })
    .from(dataSourceViews)
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(
      and(
        eq(dataSourceViews.workspaceId, workspace.id),
        reachesSpace(context.caller),
        isAfter(dataSourceViews.id, input),
      ),
    )
    .orderBy(asc(dataSourceViews.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ view }) => view.id);
  return { dataSourceViews: page.map(({ view, spaceId }) => renderView(view, spaceId)), ...end };
}

function renderView(row: ViewRow, spaceId: string): DataSourceView {
  return { sId: row.sid, name: row.name, provider: row.provider, spaceId };
}

/**
 * Writes a node of a view that the caller reaches, in place of the one of the same id. Throws
 * `data_source_view_not_found`.
 */
export async function putDataSourceNode(
  context: RequestContext,
  input: PutDataSourceNode,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const view = await requireView(context, db, input);
    const content = {
      nodeType: input.nodeType,
      title: input.title,
      contentType: input.contentType ?? "text/plain",
      content: input.content ?? "",
      sourceUrl: input.sourceUrl ?? null,
      updatedAt: context.now(),
    };
    await db
      .insert(dataSourceNodes)
      .values({ viewId: view.id, nodeId: input.nodeId, ...content })
      .onConflictDoUpdate({
        target: [dataSourceNodes.viewId, dataSourceNodes.nodeId],
        set: content,
      });
    return { success: true };
  });
}

/** Removes a node of a view; fragments that refer to it keep its text. */
export async function removeDataSourceNode(
  context: RequestContext,
  input: RemoveDataSourceNode,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const view = await requireView(context, db, input);
    await db
      .delete(dataSourceNodes)
      .where(and(eq(dataSourceNodes.viewId, view.id), eq(dataSourceNodes.nodeId, input.nodeId)));
    return { success: true };
  });
}

/** The view, in a space that the caller reaches. Throws `data_source_view_not_found`. */
async function requireView(
  context: RequestContext,
  db: Queryable,
  input: { wId: string; dataSourceViewId: string },
): Promise<ViewRow> {
  const workspace = await administeredWorkspace(context, db, input.wId);
  const [row] = await db
    .select({ view: dataSourceViews })
    .from(dataSourceViews)
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(
      and(
        eq(dataSourceViews.workspaceId, workspace.id),
        eq(dataSourceViews.sid, input.dataSourceViewId),
        reachesSpace(context.caller),
      ),
    );
  if (row !== undefined) return row.view;
  throw new ParleyError(
    "data_source_view_not_found",
    "dataSourceViewId: the workspace has no such data source view",
  );
}

/** A node that the caller's key reaches, with its view and space. Undefined when there is none. */
export async function findNode(
  db: Queryable,
  context: Context,
  { viewId, nodeId }: { viewId: string; nodeId: string },
): Promise<{ node: NodeRow; view: ViewRow; spaceName: string } | undefined> {
  const { caller } = context;
  const [row] = await db
    .select({ node: dataSourceNodes, view: dataSourceViews, spaceName: spaces.name })
    .from(dataSourceNodes)
    .innerJoin(dataSourceViews, eq(dataSourceViews.id, dataSourceNodes.viewId))
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(
      and(
        eq(dataSourceViews.workspaceId, caller.workspace.id),
        eq(dataSourceViews.sid, viewId),
        eq(dataSourceNodes.nodeId, nodeId),
        reachesSpace(caller),
      ),
    );
  return row;
}
