import { dataSourceViews, type Queryable, spaces } from "@parley/db";
import {
  type AdministeredDataSourceView,
  type DataSource,
  type DataSourcesParams,
  type DataSourceView,
  ParleyError,
} from "@parley/schema";
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { reachesSpace, requireSpace } from "../access/space-reach.ts";
import type { Caller, Context } from "../context.ts";

export type ViewRow = typeof dataSourceViews.$inferSelect;

/** A data source's view with the public id of its space. */
export interface ReachedView {
  readonly view: ViewRow;
  readonly spaceId: string;
}

/** Data sources of a workspace, whatever its limit: lists and searches read all of them. */
export const MAX_DATA_SOURCES = 1000;

/** How many data sources a workspace may have, and how much each of them may hold. */
interface DataSourceLimits {
  readonly sources: number;
  /** Documents, tables and folders. */
  readonly nodes: number;
  /** Bytes of their texts. */
  readonly bytes: number;
}

/** What the operations on knowledge need of a process. */
export interface KnowledgeServices {
  readonly dataSourceLimits: DataSourceLimits;
}

/** A query for the views in the spaces of a workspace that the caller reaches, the oldest first. */
export function selectReachedViews(
  db: Queryable,
  { caller, workspaceId }: { caller: Caller; workspaceId: number },
  condition?: SQL,
) {
  return db
    .select({ view: dataSourceViews, spaceId: spaces.sid })
    .from(dataSourceViews)
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(and(eq(dataSourceViews.workspaceId, workspaceId), reachesSpace(caller), condition))
    .orderBy(asc(dataSourceViews.id));
}

/** The same, of the caller's own workspace. */
export function selectOwnViews(db: Queryable, { caller }: Context, condition?: SQL) {
  return selectReachedViews(db, { caller, workspaceId: caller.workspace.id }, condition);
}

/** Lists the data sources that the caller reaches. Throws `space_not_found`. */
export async function listDataSources(
  context: Context,
  { spaceId }: DataSourcesParams,
): Promise<{ data_sources: DataSource[] }> {
  const rows = await listViews(context, spaceId);
  return { data_sources: rows.map(({ view }) => renderDataSource(context, view)) };
}

/** Lists the views of a space. Throws `space_not_found`. */
export async function listViewsInSpace(
  context: Context,
  { spaceId }: { spaceId: string },
): Promise<{ dataSourceViews: DataSourceView[] }> {
  const rows = await listViews(context, spaceId);
  return { dataSourceViews: rows.map((row) => renderView(context, row)) };
}

async function listViews(context: Context, spaceId: string | undefined): Promise<ReachedView[]> {
  const { database, caller } = context;
  const { db } = database;
  const named = { workspaceId: caller.workspace.id, sid: spaceId ?? "" };
  const space = spaceId === undefined ? undefined : await requireSpace(db, caller, named);
  return selectOwnViews(db, context, space && eq(dataSourceViews.spaceId, space.id)).limit(
    MAX_DATA_SOURCES,
  );
}

/**
 * The data source with this id, in the space if one is named, locked if it is going to be written. Throws
 * `data_source_not_found`.
 */
export async function requireDataSource(
  db: Queryable,
  context: Context,
  { dsId, spaceId, isLocked }: { dsId: string; spaceId: string | undefined; isLocked: boolean },
): Promise<ViewRow> {
  const query = selectOwnViews(
    db,
    context,
    and(
      eq(dataSourceViews.dataSourceSid, dsId),
      spaceId === undefined ? undefined : eq(spaces.sid, spaceId),
    ),
  );
  const [row] = await (isLocked ? query.for("update", { of: dataSourceViews }) : query);
  if (row !== undefined) return row.view;
  throw new ParleyError("data_source_not_found", "dsId: the workspace has no such data source");
}

/** The error for a view that is unknown, or that the caller does not reach. */
export function viewNotFound(member: "dataSourceViewId" | "dsvId"): ParleyError {
  return new ParleyError(
    "data_source_view_not_found",
    `${member}: the workspace has no such data source view`,
  );
}

/** Prevents the deletion of the workspace, and of any space of it, until the transaction ends. */
export async function holdWorkspace(db: Queryable, workspaceId: number): Promise<void> {
  await db.execute(sql`select hold_workspaces(array[${workspaceId}::bigint])`);
}

/** A data source as its administration shows it. */
export function renderAdministered({ view, spaceId }: ReachedView): AdministeredDataSourceView {
  const { sid, dataSourceSid, name, description, provider } = view;
  return { sId: sid, dataSourceId: dataSourceSid, name, description, provider, spaceId };
}

/** A data source as the wire shows it. */
export function renderDataSource({ caller }: Context, row: ViewRow): DataSource {
  return {
    id: row.id,
    sId: row.dataSourceSid,
    createdAt: row.createdAt,
    name: row.name,
    description: row.description,
    assistantDefaultSelected: false,
    dustAPIProjectId: caller.workspace.sid,
    dustAPIDataSourceId: row.dataSourceSid,
    connectorId: null,
    connectorProvider: null,
    editedByUser: null,
  };
}

/** A view as the wire shows it. */
export function renderView(context: Context, { view, spaceId }: ReachedView): DataSourceView {
  return {
    category: "folder",
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
    dataSource: renderDataSource(context, view),
    id: view.id,
    kind: view.parentsIn === null ? "default" : "custom",
    parentsIn: view.parentsIn,
    sId: view.sid,
    spaceId,
    editedByUser: null,
  };
}
