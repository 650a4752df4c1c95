import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { identity, milliseconds, number, sid } from "./columns.ts";
import { spaces, workspaces } from "./workspaces.ts";

/** What of a data source a space sees. */
export const dataSourceViews = pgTable(
  "data_source_views",
  {
    id: identity(),
    sid: sid(),
    workspaceId: number()
      .notNull()
      .references(() => workspaces.id),
    spaceId: number()
      .notNull()
      .references(() => spaces.id),
    name: text().notNull(),
    provider: text(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index("data_source_views_by_workspace").on(table.workspaceId)],
);

/** Documents, tables and folders of a view, under the ids that their source gives them. */
export const dataSourceNodes = pgTable(
  "data_source_nodes",
  {
    viewId: number()
      .notNull()
      .references(() => dataSourceViews.id),
    nodeId: text().notNull(),
    nodeType: text().$type<"document" | "table" | "folder">().notNull(),
    title: text().notNull(),
    contentType: text().notNull(),
    content: text().notNull(),
    sourceUrl: text(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.viewId, table.nodeId] })],
);
