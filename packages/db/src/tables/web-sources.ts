import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import { identified, identity, milliseconds, number, reference, timestamps } from "./columns.ts";
import { dataSourceViews } from "./data-sources.ts";
import { workspaces } from "./workspaces.ts";

/** How a refresh of a web source went. */
export interface StoredWebRefresh {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: "succeeded" | "failed" | "cancelled";
  readonly failure: string | null;
  readonly read: number;
  readonly skipped: number;
  readonly failed: number;
  readonly removed: number;
}

/** What of the web data sources are filled from. Its run is `runs.log_id = sid` while it is read. */
export const webSources = pgTable(
  "web_sources",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    viewId: number()
      .notNull()
      .references(() => dataSourceViews.id, { onDelete: "cascade" }),
    url: text().notNull(),
    kind: text().$type<"page" | "sitemap" | "crawl">().notNull(),
    depth: integer().notNull(),
    maxPages: integer().notNull(),
    tags: text().array().notNull(),
    /** When it is read again: by one of these, or by none. */
    cron: text(),
    everySeconds: integer(),
    /** The first time of an interval. */
    anchor: milliseconds().notNull(),
    timezone: text().notNull(),
    /** Counts the refreshes. */
    refresh: integer().notNull().default(0),
    /** When the refresh began that is under way; null for none. */
    refreshStartedAt: milliseconds(),
    /** When the next one begins; null for never, and during one. */
    nextRefreshAt: milliseconds(),
    /** Pages that the refresh that is under way has removed. */
    removedPages: integer().notNull().default(0),
    lastRefresh: jsonb().$type<StoredWebRefresh>(),
    /** Counts the changes: a change names the version that it is based on. */
    version: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("web_sources_by_workspace").on(table.workspaceId, table.id),
    index("web_sources_by_view").on(table.viewId),
    index("web_sources_due")
      .on(table.nextRefreshAt)
      .where(sql`${table.nextRefreshAt} is not null`),
  ],
);

/** The pages of web sources, in the order in which they were found. */
export const webPages = pgTable(
  "web_pages",
  {
    id: identity(),
    webSourceId: number()
      .notNull()
      .references(() => webSources.id, { onDelete: "cascade" }),
    url: text().notNull(),
    /** The last refresh that found it. */
    refresh: integer().notNull(),
    depth: integer().notNull(),
    /** Whether it is a sitemap, or an index of them. */
    isMap: boolean().notNull(),
    state: text().$type<"waiting" | "read" | "skipped" | "failed">().notNull(),
    reason: text(),
    /** Status of the last answer. */
    status: integer(),
    /** The document that it is; null for none. */
    nodeId: text(),
    /** What of the last answer says that it has not changed. */
    etag: text(),
    lastModified: text(),
    /** Where it links to: an answer that it has not changed does not say so again. */
    links: text().array().notNull(),
    checkedAt: milliseconds(),
  },
  (table) => [
    unique("web_pages_by_url").on(table.webSourceId, table.url),
    index("web_pages_of_refresh").on(
      table.webSourceId,
      table.refresh,
      table.state,
      table.depth,
      table.id,
    ),
  ],
);
