import { sql } from "drizzle-orm";
import {
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, milliseconds, number, reference } from "./columns.ts";
import { spaces, workspaces } from "./workspaces.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/** Data sources, each with its view: the part of it that its space shows. */
export const dataSourceViews = pgTable(
  "data_source_views",
  {
    /** The id of the view. */
    ...identified(),
    /** The id of the data source. */
    dataSourceSid: text().notNull(),
    workspaceId: reference(() => workspaces.id),
    spaceId: reference(() => spaces.id),
    name: text().notNull(),
    description: text(),
    provider: text(),
    /** Ids of what the view shows, with all below; null for everything. */
    parentsIn: text().array(),
    /** Nodes of the data source, and the bytes of their contents: written with each of them. */
    nodeCount: integer().notNull().default(0),
    contentBytes: number().notNull().default(0),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [
    index("data_source_views_by_workspace").on(table.workspaceId),
    index("data_source_views_by_space").on(table.spaceId),
    uniqueIndex("data_source_views_by_source").on(table.dataSourceSid),
  ],
);

/** Documents, tables and folders of a data source, under the ids of their source. */
export const dataSourceNodes = pgTable(
  "data_source_nodes",
  {
    viewId: reference(() => dataSourceViews.id),
    nodeId: text().notNull(),
    nodeType: text().$type<"document" | "table" | "folder">().notNull(),
    title: text().notNull(),
    contentType: text().notNull(),
    content: text().notNull(),
    /** SHA-256 of the content, in hexadecimal. */
    contentHash: text().notNull(),
    sourceUrl: text(),
    tags: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Its own id, and those of the folders around it, from the inside out. */
    parents: text().array().notNull(),
    /** When its source was last changed. */
    timestamp: milliseconds().notNull(),
    providerVisibility: text().$type<"public" | "private">(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
    // A tsvector has at most 1 MiB; the words of this many characters always fit. The view is one of the words,
    // so that a search reads no matches in other views.
    search: tsvector()
      .notNull()
      .generatedAlwaysAs(
        sql`setweight(to_tsvector('simple', "title"), 'A') || setweight(to_tsvector('simple', left("content", 65536)), 'D') || array_to_tsvector(ARRAY['view ' || "view_id"::text])`,
      ),
  },
  (table) => [
    primaryKey({ columns: [table.viewId, table.nodeId] }),
    index("data_source_nodes_by_word").using("gin", table.search),
    index("data_source_nodes_by_title").on(
      table.viewId,
      sql`lower(${table.title}) text_pattern_ops`,
    ),
    // A URL may be too long for a B-tree.
    index("data_source_nodes_by_url").using("hash", table.sourceUrl),
  ],
);
