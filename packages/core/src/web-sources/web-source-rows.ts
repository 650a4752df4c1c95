import { dataSourceViews, type Queryable, spaces, type webPages, webSources } from "@parley/db";
import { ParleyError, type WebPage, type WebSource } from "@parley/schema";
import { and, asc, eq, type SQL } from "drizzle-orm";
import { reachesSpace } from "../access/space-reach.ts";
import type { Caller, RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type WebSourceRow = typeof webSources.$inferSelect;
export type WebPageRow = typeof webPages.$inferSelect;

/** A web source with the data source that it fills. */
interface ReachedWebSource {
  readonly row: WebSourceRow;
  readonly view: Pick<typeof dataSourceViews.$inferSelect, "sid" | "dataSourceSid">;
}

/** A query for the web sources of the data sources that a caller reaches, the oldest first. */
export function selectWebSources(
  db: Queryable,
  { caller, workspaceId }: { caller: Caller; workspaceId: number },
  condition?: SQL,
) {
  const { sid, dataSourceSid } = dataSourceViews;
  return db
    .select({ row: webSources, view: { sid, dataSourceSid } })
    .from(webSources)
    .innerJoin(dataSourceViews, eq(dataSourceViews.id, webSources.viewId))
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(and(eq(webSources.workspaceId, workspaceId), reachesSpace(caller), condition))
    .orderBy(asc(webSources.id));
}

/** A web source that a request names, of a data source that the caller reaches. Throws `web_source_not_found`. */
export async function requireWebSource(
  context: RequestContext,
  db: Queryable,
  { wId, webSourceId }: { wId: string; webSourceId: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<ReachedWebSource> {
  const { id: workspaceId } = await administeredWorkspace(context, db, wId);
  const { caller } = context;
  const named = eq(webSources.sid, webSourceId);
  const query = selectWebSources(db, { caller, workspaceId }, named);
  const [found] = await (isLocked ? query.for("no key update", { of: webSources }) : query);
  if (found !== undefined) return found;
  const message = "webSourceId: the workspace has no such web source";
  throw new ParleyError("web_source_not_found", message);
}

/** A web source as the wire shows it. */
export function renderWebSource({ row, view }: ReachedWebSource): WebSource {
  const { sid: sId, url, kind, depth, maxPages, tags, cron, everySeconds, timezone } = row;
  const { nextRefreshAt, lastRefresh, version, createdAt, updatedAt } = row;
  return {
    sId,
    dataSourceViewId: view.sid,
    dataSourceId: view.dataSourceSid,
    url,
    kind,
    depth,
    maxPages,
    tags,
    cron,
    everySeconds,
    timezone,
    isRefreshing: row.refreshStartedAt !== null,
    nextRefreshAt,
    lastRefresh,
    version,
    createdAt,
    updatedAt,
  };
}

/** A page as the wire shows it. */
export function renderWebPage(row: WebPageRow): WebPage {
  const { url, state, reason, status, depth, nodeId: documentId, checkedAt } = row;
  return { url, state, reason, status, depth, documentId, checkedAt };
}
