/**
 * The pages of a refresh, one after the other. What a page is and where it leads to commit together, under the fence of the
 * run: a refresh that was killed continues with the page that comes next, and a worker that lost its run writes nothing.
 */
import { createHash } from "node:crypto";
import { dataSourceNodes, type Queryable, webPages } from "@parley/db";
import { MAX_DOCUMENT_CHARACTERS, ParleyError, toStorable } from "@parley/schema";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { KnowledgeServices, ViewRow } from "../knowledge/data-sources.ts";
import { deleteNode, isNode, writeNode } from "../knowledge/nodes.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { lockView } from "./lock-view.ts";
import { documentIdOf } from "./page-urls.ts";
import type { WebPageRow, WebSourceRow } from "./web-source-rows.ts";

/** Sitemaps of a refresh at most. */
const MAX_MAPS = 50;

/** A refresh that a worker executes. */
export interface Refresh {
  readonly run: ClaimedRun;
  readonly source: WebSourceRow;
}

/** What was read of a page. */
interface PageContent {
  readonly title: string;
  readonly text: string;
  readonly contentType: string;
  /** When it last changed, if its server says so. */
  readonly changedAt: number | undefined;
}

interface Link {
  readonly url: string;
  readonly isMap: boolean;
}

/** What came of a page. */
export interface PageEnd {
  /** `unchanged` since it was last read; `gone` for good; `failed` for now, which leaves its document as it is. */
  readonly outcome: "read" | "unchanged" | "skipped" | "gone" | "failed";
  readonly reason?: string;
  readonly status?: number;
  readonly content?: PageContent;
  /** Where it leads to, other pages by a link or a redirect. */
  readonly links?: readonly Link[];
  /** Where it is itself, in place of this URL. */
  readonly movedTo?: string;
  readonly etag?: string | null;
  readonly lastModified?: string | null;
}

const ofRefresh = ({ id, refresh }: WebSourceRow) =>
  and(eq(webPages.webSourceId, id), eq(webPages.refresh, refresh));

/** The page of a refresh that is to be read next: the nearest, in the order in which they were found. */
export async function nextWebPage(
  { database: { db } }: Process,
  { source }: Refresh,
): Promise<WebPageRow | undefined> {
  const [page] = await db
    .select()
    .from(webPages)
    .where(and(ofRefresh(source), eq(webPages.state, "waiting")))
    .orderBy(asc(webPages.depth), asc(webPages.id))
    .limit(1);
  return page;
}

/** Writes what came of a page: its document, and the pages that it leads to. Throws `LostLease`. */
export async function settleWebPage(
  core: Process & KnowledgeServices & StorageServices,
  refresh: Refresh,
  given: { readonly page: WebPageRow; readonly end: PageEnd },
): Promise<void> {
  const { workspaceId } = refresh.source;
  const bytes = Buffer.byteLength(given.end.content?.text ?? "");
  if (bytes > 0 && !(await core.storage.reserve(workspaceId, bytes)).fits) {
    const { status } = given.end;
    const reason = "The workspace stores as much as it may";
    const end = { outcome: "failed", reason, ...(status !== undefined && { status }) } as const;
    return writeEnd(core, refresh, { ...given, end });
  }
  let isStored = false;
  try {
    await writeEnd(core, refresh, given);
    isStored = true;
  } finally {
    if (!isStored) core.storage.add(workspaceId, -bytes);
  }
}

async function writeEnd(
  core: Process & KnowledgeServices,
  { run, source }: Refresh,
  { page, end }: { readonly page: WebPageRow; readonly end: PageEnd },
): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    const view = await lockView(db, source);
    const settled = await writeContent(core, db, { view, source, page, end });
    const links = linksOf(page, settled);
    await db
      .update(webPages)
      .set({
        state: stateOf(settled),
        reason: settled.reason ?? null,
        status: settled.status ?? null,
        nodeId: settled.nodeId,
        checkedAt: core.now(),
        ...(settled.outcome === "read" && {
          etag: settled.etag ?? null,
          lastModified: settled.lastModified ?? null,
          links: links.filter(({ isMap }) => !isMap).map(({ url }) => url),
        }),
        // An answer to a condition says nothing of a page whose document is gone.
        ...(settled.nodeId === null && { etag: null, lastModified: null }),
      })
      .where(eq(webPages.id, page.id));
    const isFollowed = page.isMap || (source.kind === "crawl" && page.depth < source.depth);
    const found = isFollowed ? links : [];
    await addPages(db, source, { links: found, depth: page.depth + 1 });
    const moved =
      settled.movedTo === undefined ? [] : [{ url: settled.movedTo, isMap: page.isMap }];
    await addPages(db, source, { links: moved, depth: page.depth });
  });
}

const stateOf = ({ outcome }: PageEnd): WebPageRow["state"] =>
  outcome === "unchanged" ? "read" : outcome === "gone" ? "failed" : outcome;

function linksOf({ links }: WebPageRow, end: PageEnd): readonly Link[] {
  if (end.outcome === "unchanged") return links.map((url) => ({ url, isMap: false }));
  return end.links ?? [];
}

interface Writing {
  readonly view: ViewRow;
  readonly source: WebSourceRow;
  readonly page: WebPageRow;
  readonly end: PageEnd;
}

/** Writes the document of a page that was read, and deletes that of one that is not to be read, or gone. */
async function writeContent(
  core: Process & KnowledgeServices,
  db: Queryable,
  { view, source, page, end }: Writing,
): Promise<PageEnd & { readonly nodeId: string | null }> {
  const { content, outcome } = end;
  if (content === undefined) {
    if (outcome === "failed" || outcome === "unchanged" || page.nodeId === null) {
      return { ...end, nodeId: page.nodeId };
    }
    await deleteNode(db, { view, nodeId: page.nodeId });
    return { ...end, nodeId: null };
  }
  const nodeId = documentIdOf(source.sid, page.url);
  const text = toStorable(content.text).slice(0, MAX_DOCUMENT_CHARACTERS).toWellFormed();
  const title = toStorable(content.title) || page.url;
  const values = { nodeId, title, contentType: content.contentType, content: text };
  if (await isWritten(db, { view, values, tags: source.tags })) return { ...end, nodeId };
  try {
    await writeNode(core, db, {
      view,
      values: {
        ...values,
        nodeType: "document",
        sourceUrl: page.url,
        tags: source.tags,
        parents: [nodeId, source.sid],
        timestamp: content.changedAt ?? core.now(),
      },
    });
    return { ...end, nodeId };
  } catch (error) {
    // The data source is full: a smaller page may still have room.
    const isFull = error instanceof ParleyError && error.type === "data_source_quota_error";
    if (!isFull) throw error;
    return { ...end, outcome: "failed", reason: error.message, nodeId: page.nodeId };
  }
}

/** Whether a document is as it would be written: it need not be divided again. */
async function isWritten(
  db: Queryable,
  given: {
    readonly view: ViewRow;
    readonly values: { readonly nodeId: string; readonly title: string; readonly content: string };
    readonly tags: readonly string[];
  },
): Promise<boolean> {
  const { view, values, tags } = given;
  const { title, contentHash } = dataSourceNodes;
  const hash = createHash("sha256").update(values.content).digest("hex");
  const [same] = await db
    .select({ nodeId: dataSourceNodes.nodeId })
    .from(dataSourceNodes)
    .where(
      and(
        isNode(view, values.nodeId),
        eq(title, values.title),
        eq(contentHash, hash),
        sql`to_json(${dataSourceNodes.tags})::text = ${JSON.stringify(tags)}`,
      ),
    );
  return same !== undefined;
}

/** Adds pages that were found to the refresh, as far as it may have more; those that it has stay as they are. */
async function addPages(
  db: Queryable,
  { id, refresh, maxPages }: WebSourceRow,
  { links, depth }: { links: readonly Link[]; depth: number },
): Promise<void> {
  if (links.length === 0) return;
  const given = links.map(({ url, isMap }, place) => ({ url, is_map: isMap, place }));
  const countOf = (isMap: boolean) => sql`(select count(*) from web_pages
    where web_source_id = ${id}::bigint and refresh = ${refresh} and is_map = ${isMap})`;
  await db.execute(sql`
    with given as (
      select g.url, g.is_map, row_number() over (partition by g.is_map order by g.place) as nth
      from json_to_recordset(${JSON.stringify(given)}::json) as g(url text, is_map boolean, place int)
      left join web_pages p on p.web_source_id = ${id}::bigint and p.url = g.url
      where p.refresh is distinct from ${refresh}
    )
    insert into web_pages (web_source_id, url, refresh, depth, is_map, state, links)
    select ${id}::bigint, url, ${refresh}, ${depth}, is_map, 'waiting', '{}' from given
    where nth <= case when is_map then ${MAX_MAPS} - ${countOf(true)} else ${maxPages} - ${countOf(false)} end
    order by nth
    on conflict (web_source_id, url) do update set
      refresh = excluded.refresh, depth = excluded.depth, is_map = excluded.is_map, state = 'waiting'`);
}
