import {
  logs,
  type Queryable,
  runs,
  type StoredWebRefresh,
  webPages,
  webSources,
} from "@parley/db";
import { and, eq, inArray, lt, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { deleteNode } from "../knowledge/nodes.ts";
import { inTransaction } from "../log/transaction.ts";
import { readHeldLog } from "../runs/leases.ts";
import { readDatabaseTime } from "../schedules/schedule-times.ts";
import { nextRefresh } from "./refresh-times.ts";
import { lockView } from "./lock-view.ts";
import type { Refresh } from "./settle-page.ts";
import type { WebSourceRow } from "./web-source-rows.ts";

const REMOVED_AT_ONCE = 50;
/** Answers that say that a page is gone for good. */
const GONE = "(404, 410)";

interface Counts {
  readonly read: number;
  readonly skipped: number;
  readonly failed: number;
  /** Pages that may be there again. */
  readonly unreadable: number;
  /** Why the page with which reading began could not be read. */
  readonly failure: string | null;
}

async function countPages(db: Queryable, { id, refresh }: WebSourceRow): Promise<Counts> {
  const [counts] = await selectRows<Counts>(
    db,
    sql`
    select count(*) filter (where state = 'read' and not is_map)::int as read,
      count(*) filter (where state = 'skipped')::int as skipped,
      count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where state = 'failed' and coalesce(status, 0) not in ${sql.raw(GONE)})::int as unreadable,
      min(reason) filter (where state = 'failed' and depth = 0) as failure
    from web_pages where web_source_id = ${id}::bigint and refresh = ${refresh}`,
  );
  return counts ?? { read: 0, skipped: 0, failed: 0, unreadable: 0, failure: null };
}

/**
 * What is left of a refresh whose pages were all read. Pages that nothing leads to any longer are removed, some at once:
 * `more`. If a page could not be read, what only that led to may still be there, and is looked at: `more` too. Otherwise the
 * refresh ends: `succeeded`, or `failed` if reading could not begin, which removes nothing. Throws `LostLease`.
 */
export async function settleRefresh(
  core: Process,
  { run, source }: Refresh,
): Promise<"more" | "succeeded" | "failed"> {
  return inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    const counts = await countPages(db, source);
    const { failure } = counts;
    if (failure === null) {
      const isLeft = and(eq(webPages.webSourceId, source.id), lt(webPages.refresh, source.refresh));
      if (counts.unreadable > 0) {
        const again = { refresh: source.refresh, state: "waiting" as const };
        const looked = await db
          .update(webPages)
          .set(again)
          .where(isLeft)
          .returning({ id: webPages.id });
        if (looked.length > 0) return "more";
      }
      const removed = await removePages(db, source, isLeft);
      if (removed > 0) return "more";
    }
    const outcome = failure === null ? "succeeded" : "failed";
    await closeRefresh(db, source, { outcome, failure, counts });
    return outcome;
  });
}

/** Ends a refresh that nothing could be read for. Throws `LostLease`. */
export async function failRefresh(
  core: Process,
  { run, source }: Refresh,
  failure: string,
): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    const isWaiting = and(
      eq(webPages.webSourceId, source.id),
      eq(webPages.refresh, source.refresh),
      eq(webPages.state, "waiting"),
    );
    await db.update(webPages).set({ state: "failed", reason: failure }).where(isWaiting);
    const counts = await countPages(db, source);
    await closeRefresh(db, source, { outcome: "failed", failure, counts });
  });
}

async function removePages(
  db: Queryable,
  source: WebSourceRow,
  isLeft: ReturnType<typeof and>,
): Promise<number> {
  const some = await db.select().from(webPages).where(isLeft).limit(REMOVED_AT_ONCE);
  if (some.length === 0) return 0;
  const view = await lockView(db, source);
  for (const { nodeId } of some) {
    // oxlint-disable-next-line no-await-in-loop -- a bounded number, in one transaction
    if (nodeId !== null) await deleteNode(db, { view, nodeId });
  }
  const ids = some.map(({ id }) => id);
  await db.delete(webPages).where(inArray(webPages.id, ids));
  await db
    .update(webSources)
    .set({ removedPages: sql`${webSources.removedPages} + ${some.length}` })
    .where(eq(webSources.id, source.id));
  return some.length;
}

type Ending = Pick<StoredWebRefresh, "outcome" | "failure"> & {
  readonly counts: Pick<Counts, "read" | "skipped" | "failed">;
};

/** Ends the refresh of a web source with its run, and plans the next one. */
async function closeRefresh(
  db: Queryable,
  { id, sid }: WebSourceRow,
  { outcome, failure, counts }: Ending,
): Promise<void> {
  const now = await readDatabaseTime(db);
  // Its settings may have been changed since it was claimed.
  const [source] = await db.select().from(webSources).where(eq(webSources.id, id));
  if (source === undefined) return;
  const { read, skipped, failed } = counts;
  const startedAt = source.refreshStartedAt ?? now;
  const lastRefresh = {
    startedAt,
    endedAt: now,
    outcome,
    failure,
    read,
    skipped,
    failed,
    removed: source.removedPages,
  };
  await db
    .update(webSources)
    .set({ refreshStartedAt: null, nextRefreshAt: nextRefresh(source, now), lastRefresh })
    .where(eq(webSources.id, id));
  await dropRefresh(db, sid);
}

/** Deletes the run of a refresh, which can write nothing from then on. */
async function dropRefresh(db: Queryable, sid: string): Promise<void> {
  // The log first, as all writers lock it.
  await db.delete(logs).where(eq(logs.id, sid));
  await db.delete(runs).where(eq(runs.logId, sid));
}

/** Stops the refresh of a web source that is under way: what it has read stays. */
export async function cancelRefresh(db: Queryable, source: WebSourceRow): Promise<void> {
  if (source.refreshStartedAt === null) return;
  const counts = await countPages(db, source);
  await closeRefresh(db, source, { outcome: "cancelled", failure: null, counts });
}

/** Removes some documents of a web source that is being removed, and gives how many pages are left to be removed. */
export async function removeSomePages(db: Queryable, source: WebSourceRow): Promise<number> {
  await cancelRefresh(db, source);
  await db.update(webSources).set({ nextRefreshAt: null }).where(eq(webSources.id, source.id));
  return removePages(db, source, and(eq(webPages.webSourceId, source.id)));
}
