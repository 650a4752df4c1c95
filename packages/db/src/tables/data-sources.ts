import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { identified, milliseconds, reference } from "./columns.ts";
import { spaces, workspaces } from "./workspaces.ts";

/** The part of a data source that a space sees. */
export const dataSourceViews = pgTable(
  "data_source_views",
  {
    ...identified(),
    workspaceId: reference(() => workspaces.id),
    spaceId: reference(() => spaces.id),
    name: text().notNull(),
    provider: text(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index("data_source_views_by_workspace").on(table.workspaceId)],
);

/** Documents, tables and folders of a view, under the ids of their source. */
export const dataSourceNodes = pgTable(
  "data_source_nodes",
  {
    viewId: reference(() => dataSourceViews.id),
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
