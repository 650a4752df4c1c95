import { sql } from "drizzle-orm";
import {
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
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
    /** When its text was divided; null until it is, and again after each write. */
    dividedAt: milliseconds(),
    /** The newest set of vectors that has all of its parts; 0 for none, and again after each division. */
    embeddedSet: number().notNull().default(0),
    /** Why it could not be divided, as a sentence; null while it waits, and once it is. */
    divisionFailure: text(),
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
    // The conditions of this index and of the one of sets hold for each row, and keep it from queries that ask for no title or
    // no set: without statistics, the planner takes either for the primary key, and reads a whole view for each node.
    index("data_source_nodes_by_title")
      .on(table.viewId, sql`lower(${table.title}) text_pattern_ops`)
      .where(sql`lower(${table.title}) is not null`),
    // A URL may be too long for a B-tree.
    index("data_source_nodes_by_url").using("hash", table.sourceUrl),
    index("data_source_nodes_undivided")
      .on(table.viewId, table.nodeId)
      .where(sql`${table.dividedAt} is null and ${table.nodeType} = 'document'`),
    index("data_source_nodes_by_embedding")
      .on(table.viewId, table.embeddedSet)
      .where(sql`${table.nodeType} = 'document' and ${table.embeddedSet} >= 0`),
    index("data_source_nodes_failed")
      .on(table.viewId, table.nodeId)
      .where(sql`${table.divisionFailure} is not null`),
  ],
);

/** The parts of documents, by which agents find them: written in the background by runs that divide. */
export const documentParts = pgTable(
  "document_parts",
  {
    viewId: number().notNull(),
    nodeId: text().notNull(),
    /** A hash of its text and its place: the same for as long as neither changes. */
    partId: text().notNull(),
    /** Its place among the parts of the document, from 0. */
    position: integer().notNull(),
    /** Where it begins and ends in the text of the document, in UTF-16 units. */
    start: integer().notNull(),
    end: integer().notNull(),
    /** The headings that it stands below, from the outermost on. */
    headings: text().array().notNull(),
    content: text().notNull(),
    /** The configuration of text search that its words were made with. */
    language: text().notNull(),
    /** Its words, its grams, and its data source as one of the words. */
    words: tsvector().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.viewId, table.nodeId, table.partId] }),
    foreignKey({
      name: "document_parts_of_node",
      columns: [table.viewId, table.nodeId],
      foreignColumns: [dataSourceNodes.viewId, dataSourceNodes.nodeId],
    }).onDelete("cascade"),
    index("document_parts_by_word").using("gin", table.words),
  ],
);

/** A column of a table of a data source. */
export interface StoredTableColumn {
  readonly name: string;
  readonly type: "text" | "int" | "float" | "bool" | "datetime";
}

/** What tables of data sources have beside their nodes. */
export const dataSourceTables = pgTable(
  "data_source_tables",
  {
    viewId: number().notNull(),
    nodeId: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    /** In the order of the cells of its rows; a column stays until all rows are replaced. */
    columns: jsonb().$type<readonly StoredTableColumn[]>().notNull(),
    /** Its rows, and the bytes of their ids and cells: written with each of them. */
    rowCount: integer().notNull().default(0),
    rowBytes: number().notNull().default(0),
    /** The greatest position of a row that there has been since all were replaced. */
    lastPosition: number().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.viewId, table.nodeId] }),
    foreignKey({
      name: "data_source_tables_of_node",
      columns: [table.viewId, table.nodeId],
      foreignColumns: [dataSourceNodes.viewId, dataSourceNodes.nodeId],
    }).onDelete("cascade"),
  ],
);

/** The rows of tables of data sources. */
export const dataSourceRows = pgTable(
  "data_source_rows",
  {
    viewId: number().notNull(),
    nodeId: text().notNull(),
    rowId: text().notNull(),
    /** Its place among the rows of the table. */
    position: number().notNull(),
    /** The cells in the order of the columns, as an array: a time as milliseconds; what is left out is null. */
    cells: jsonb().$type<readonly (string | number | boolean | null)[]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.viewId, table.nodeId, table.rowId] }),
    index("data_source_rows_by_position").on(table.viewId, table.nodeId, table.position),
    foreignKey({
      name: "data_source_rows_of_table",
      columns: [table.viewId, table.nodeId],
      foreignColumns: [dataSourceTables.viewId, dataSourceTables.nodeId],
    }).onDelete("cascade"),
  ],
);
