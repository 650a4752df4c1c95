import { dataSourceNodes, dataSourceViews, type Queryable, spaces } from "@parley/db";
import {
  type DataSourceView,
  type DataSourceViewParams,
  type FindDataSourceViews,
  invalidRequest,
  type UpdateDataSourceView,
} from "@parley/schema";
import { and, arrayOverlaps, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import {
  MAX_DATA_SOURCES,
  type ReachedView,
  renderView,
  selectOwnViews,
  viewNotFound,
} from "./data-sources.ts";

/** Ids that a view may name at most, as in one request. */
const MAX_PARENTS = 1000;

/** The condition that the view of a row shows its node. */
export function isShown(): SQL | undefined {
  const { parentsIn } = dataSourceViews;
  return or(isNull(parentsIn), arrayOverlaps(dataSourceNodes.parents, sql`${parentsIn}`));
}

/** Reads a view. Throws `data_source_view_not_found`. */
export async function getDataSourceView(
  context: Context,
  input: DataSourceViewParams,
): Promise<{ dataSourceView: DataSourceView }> {
  const row = await requireOwnView(context.database.db, context, input);
  return { dataSourceView: renderView(context, row) };
}

/** Finds the views that fulfil every given condition; one that there cannot be finds none. */
export async function findDataSourceViews(
  context: Context,
  { dataSourceId, kind, vaultId, vaultKind }: FindDataSourceViews,
): Promise<{ data_source_views: DataSourceView[] }> {
  const kinds: ReadonlyMap<string, SQL> = new Map([
    ["default", isNull(dataSourceViews.parentsIn)],
    ["custom", isNotNull(dataSourceViews.parentsIn)],
  ]);
  const condition = and(
    dataSourceId === undefined ? undefined : eq(dataSourceViews.dataSourceSid, dataSourceId),
    kind === undefined ? undefined : (kinds.get(kind) ?? sql`false`),
    vaultId === undefined ? undefined : eq(spaces.sid, vaultId),
    vaultKind === undefined ? undefined : eq(spaces.kind, vaultKind),
  );
  const rows = await selectOwnViews(context.database.db, context, condition).limit(
    MAX_DATA_SOURCES,
  );
  return { data_source_views: rows.map((row) => renderView(context, row)) };
}

/**
 * Sets what a view shows. Throws `data_source_view_not_found`, and `invalid_request_error` if nothing
 * would be left.
 */
export async function updateDataSourceView(
  context: Context,
  input: DataSourceViewParams & UpdateDataSourceView,
): Promise<{ dataSourceView: DataSourceView }> {
  return inTransaction(context, async ({ db }) => {
    const row = await requireOwnView(db, context, input, true);
    const parentsIn = changeParents(row.view.parentsIn, input);
    const changed = { parentsIn, updatedAt: context.now() };
    await db.update(dataSourceViews).set(changed).where(eq(dataSourceViews.id, row.view.id));
    return { dataSourceView: renderView(context, { ...row, view: { ...row.view, ...changed } }) };
  });
}

/** What a view shows after a change; null for everything. Throws `invalid_request_error`. */
export function changeParents(
  now: readonly string[] | null,
  { parentsIn, parentsToAdd = [], parentsToRemove = [] }: UpdateDataSourceView,
): string[] | null {
  const removed = new Set(parentsToRemove);
  const changed = [...new Set(parentsIn ?? [...(now ?? []), ...parentsToAdd])].filter(
    (id) => !removed.has(id),
  );
  if (parentsIn?.length === 0) return null;
  const refuse = (path: string, message: string) => invalidRequest("body", [{ path, message }]);
  if (changed.length === 0) {
    const message = "would leave nothing: send parentsIn: [] to show everything";
    throw refuse("parentsToRemove", message);
  }
  if (changed.length > MAX_PARENTS) {
    throw refuse("parentsToAdd", `a view names at most ${MAX_PARENTS} parents`);
  }
  return changed;
}

/** The view in its space. Throws `data_source_view_not_found`. */
export async function requireOwnView(
  db: Queryable,
  context: Context,
  { spaceId, dsvId }: DataSourceViewParams,
  isLocked = false,
): Promise<ReachedView> {
  const named = and(eq(dataSourceViews.sid, dsvId), eq(spaces.sid, spaceId));
  const query = selectOwnViews(db, context, named);
  const [row] = await (isLocked ? query.for("update", { of: dataSourceViews }) : query);
  if (row === undefined) throw viewNotFound("dsvId");
  return row;
}
