import { dataSourceViews, insertRow, webPages, webSources } from "@parley/db";
import {
  type AdministeredWebSource,
  type CreateWebSource,
  type ListWebPages,
  type ListWebSources,
  MAX_WEB_SOURCES,
  ParleyError,
  type Success,
  type UpdateWebSource,
  type VersionedWebSource,
  type WebPage,
  type WebSource,
  type WebSourceIdentity,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { isAfter, type PageEnd, takePage } from "../data-access/pages.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { requireView } from "../knowledge/data-source-administration.ts";
import { inTransaction } from "../log/transaction.ts";
import { readDatabaseTime } from "../schedules/schedule-times.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { cancelRefresh, removeSomePages } from "./end-refresh.ts";
import { checkRefreshTimes, nextRefresh } from "./refresh-times.ts";
import { startRefreshOf } from "./start-refreshes.ts";
import {
  renderWebPage,
  renderWebSource,
  requireWebSource,
  selectWebSources,
} from "./web-source-rows.ts";

/** Lists the web sources of the data sources that the caller reaches, the oldest first. */
export async function listWebSources(
  context: RequestContext,
  input: ListWebSources,
): Promise<{ webSources: WebSource[] } & PageEnd> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  const { dataSourceViewId } = input;
  const ofView =
    dataSourceViewId === undefined ? undefined : eq(dataSourceViews.sid, dataSourceViewId);
  const condition = and(ofView, isAfter(webSources.id, input));
  const { caller } = context;
  const query = selectWebSources(db, { caller, workspaceId }, condition);
  const { page, end } = takePage(await query.limit(input.limit + 1), input, ({ row }) => row.id);
  return { webSources: page.map(renderWebSource), ...end };
}

/** Reads a web source. Throws `web_source_not_found`. */
export async function getWebSource(
  context: RequestContext,
  input: WebSourceIdentity,
): Promise<AdministeredWebSource> {
  const found = await requireWebSource(context, context.database.db, input);
  return { webSource: renderWebSource(found) };
}

/**
 * Creates a web source, which is read at once. Throws `data_source_view_not_found`, `data_source_quota_error` for one too
 * many, and `invalid_request_error` for times that cannot be read.
 */
export async function createWebSource(
  context: RequestContext,
  { wId, dataSourceViewId, cron = null, everySeconds = null, ...settings }: CreateWebSource,
): Promise<AdministeredWebSource> {
  return inTransaction(context, async (transaction) => {
    const { db, markCreated } = transaction;
    const view = await requireView(context, db, { wId, dataSourceViewId });
    if ((await db.$count(webSources, eq(webSources.viewId, view.id))) >= MAX_WEB_SOURCES) {
      const message = `The data source has its maximum of ${MAX_WEB_SOURCES} web sources`;
      throw new ParleyError("data_source_quota_error", message);
    }
    const anchor = await readDatabaseTime(db);
    const times = { cron, everySeconds, anchor, timezone: settings.timezone };
    checkRefreshTimes(times, anchor);
    const { href: url } = new URL(settings.url.replace(/#.*$/s, ""));
    const sid = context.newId("web");
    const createdAt = context.now();
    const row = await insertRow(db, webSources, {
      ...settings,
      ...times,
      url,
      sid,
      workspaceId: view.workspaceId,
      viewId: view.id,
      createdAt,
      updatedAt: createdAt,
    });
    await startRefreshOf(transaction, row);
    markCreated(sid);
    const found = await requireWebSource(context, db, { wId, webSourceId: sid });
    return { webSource: renderWebSource(found) };
  });
}

/**
 * Changes a web source, from its next refresh on. Throws `web_source_not_found`, `version_conflict` if it was changed since
 * the named version, and `invalid_request_error` for times that cannot be read.
 */
export async function updateWebSource(
  context: RequestContext,
  { wId, webSourceId, version, cron, everySeconds, timezone, ...changes }: UpdateWebSource,
): Promise<AdministeredWebSource> {
  return inTransaction(context, async ({ db }) => {
    const named = { wId, webSourceId };
    const found = await requireWebSource(context, db, named, { isLocked: true });
    const { row } = found;
    requireVersion("web source", row, version);
    const now = await readDatabaseTime(db);
    const times = {
      // One takes the place of the other.
      cron: cron === undefined ? (everySeconds == null ? row.cron : null) : cron,
      everySeconds:
        everySeconds === undefined ? (cron == null ? row.everySeconds : null) : everySeconds,
      anchor: everySeconds == null ? row.anchor : now,
      timezone: timezone ?? row.timezone,
    };
    checkRefreshTimes(times, now);
    const [changed = row] = await db
      .update(webSources)
      .set({
        ...changes,
        ...times,
        nextRefreshAt: row.refreshStartedAt === null ? nextRefresh(times, now) : null,
        version: row.version + 1,
        updatedAt: context.now(),
      })
      .where(eq(webSources.id, row.id))
      .returning();
    return { webSource: renderWebSource({ ...found, row: changed }) };
  });
}

/** Removes a web source with its documents, in batches. Throws like `updateWebSource`. */
export async function removeWebSource(
  request: RequestContext,
  { version, ...named }: VersionedWebSource,
): Promise<Success> {
  const context = onSlowDatabase(request);
  const { row } = await requireWebSource(context, context.database.db, named);
  requireVersion("web source", row, version);
  const removeSome = async () =>
    inTransaction(context, async ({ db }) => {
      const found = await requireWebSource(context, db, named, { isLocked: true });
      return removeSomePages(db, found.row);
    });
  while ((await removeSome()) > 0);
  return inTransaction(context, async ({ db }) => {
    const found = await requireWebSource(context, db, named, { isLocked: true });
    await cancelRefresh(db, found.row);
    await db.delete(webSources).where(eq(webSources.id, found.row.id));
    return { success: true };
  });
}

/** Reads a web source again now, unless that is under way. Throws `web_source_not_found`. */
export async function refreshWebSource(
  context: RequestContext,
  input: WebSourceIdentity,
): Promise<AdministeredWebSource> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const { row } = await requireWebSource(context, db, input, { isLocked: true });
    await startRefreshOf(transaction, row);
    return { webSource: renderWebSource(await requireWebSource(context, db, input)) };
  });
}

/** Stops to read a web source; if it is not being read, nothing changes. Throws `web_source_not_found`. */
export async function cancelWebRefresh(
  context: RequestContext,
  input: WebSourceIdentity,
): Promise<AdministeredWebSource> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireWebSource(context, db, input, { isLocked: true });
    await cancelRefresh(db, row);
    return { webSource: renderWebSource(await requireWebSource(context, db, input)) };
  });
}

/** Lists the pages of a web source, in the order in which they were found. Throws `web_source_not_found`. */
export async function listWebPages(
  context: RequestContext,
  input: ListWebPages,
): Promise<{ webPages: WebPage[] } & PageEnd> {
  const { db } = context.database;
  const { row } = await requireWebSource(context, db, input);
  const { state } = input;
  const ofSource = and(
    eq(webPages.webSourceId, row.id),
    state === undefined ? undefined : eq(webPages.state, state),
    isAfter(webPages.id, input),
  );
  const rows = await db
    .select()
    .from(webPages)
    .where(ofSource)
    .orderBy(asc(webPages.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { webPages: page.map(renderWebPage), ...end };
}
