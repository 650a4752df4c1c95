import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { DataSourceParams } from "./data-sources.ts";
import { mimeType, placement, timestamp, title } from "./documents.ts";
import { SetParents, UpdatedParents } from "./further-documents.ts";

/** What tables may hold. The bytes of their rows count with the texts of their data source. */
export const TABLE_LIMITS = {
  /** Tables of a data source. */
  tables: 500,
  columns: 200,
  rows: 100_000,
  /** Rows of one request as JSON. */
  rowsAtOnce: 1000,
  /** Characters of the text in a cell. */
  cellCharacters: 8192,
  /** Bytes of the cells of a row, as JSON in UTF-8. */
  rowBytes: 65_536,
  /** Characters of a table as CSV. */
  csvCharacters: 4 * 1024 * 1024,
} as const;

export const TableParams = DataSourceParams.extend({
  tableId: Reference.describe("Id of the table, which its uploader chooses").meta({
    example: "prices",
  }),
});
export type TableParams = z.output<typeof TableParams>;

const about = {
  table_id: optional(Reference)
    .describe("Id of the table, which its uploader chooses; its name by default")
    .meta({ example: "prices" }),
  name: text(255, 1).describe("Name of the table").meta({ example: "prices" }),
  title: optional(title).describe("Title; the name by default").meta({ example: "Prices" }),
  description: optional(text(2048))
    .describe("What the rows are, for agents")
    .meta({ example: "What our shops sell" }),
  tags: optional(z.array(text(255)).max(100)).describe("Tags, which agents may be restricted to"),
  timestamp: optional(timestamp).describe("When the content last changed; now by default"),
  mime_type: optional(mimeType).describe("MIME type of the table; text/csv by default"),
  ...placement,
};

/** Body of the creation of a table, or of a change of what is said of it. */
export const UpsertTable = z.object(about);
export type UpsertTable = z.output<typeof UpsertTable>;

/** Body of the upload of a table as CSV. */
export const UpsertTableCsv = z.object({
  ...about,
  csv: text(TABLE_LIMITS.csvCharacters, 1)
    .describe(
      "The rows, after a line with the names of the columns; separated by commas, semicolons or tabs, whichever the first line has most of",
    )
    .meta({ example: "product,price\nTea,3.5\n" }),
  truncate: optional(z.boolean())
    .transform((truncate) => truncate ?? true)
    .describe(
      "Whether to replace all rows; false adds the rows after those of the table; true by default",
    )
    .meta({ example: true }),
});
export type UpsertTableCsv = z.output<typeof UpsertTableCsv>;

/** Types of the values in a column. */
export const TableColumnType = z.enum(["text", "int", "float", "bool", "datetime"]);
export type TableColumnType = z.infer<typeof TableColumnType>;

/** A table of a data source. */
export const Table = z.object({
  data_source_id: z.string().describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  table_id: z.string().describe("Id of the table").meta({ example: "prices" }),
  name: z.string().describe("Name of the table").meta({ example: "prices" }),
  title: z.string().describe("Title of the table").meta({ example: "Prices" }),
  description: z.string().describe("What the rows are").meta({ example: "What our shops sell" }),
  schema: z
    .array(
      z.object({
        name: z.string().describe("Name of the column").meta({ example: "price" }),
        value_type: TableColumnType.describe("Type of its values").meta({ example: "float" }),
      }),
    )
    .describe("The columns; empty before the first rows"),
  row_count: z.int().describe("Rows of the table").meta({ example: 1 }),
  size: z.int().describe("Bytes of the rows").meta({ example: 13 }),
  mime_type: z.string().describe("MIME type of the table").meta({ example: "text/csv" }),
  timestamp: Milliseconds.describe("When the content last changed"),
  tags: z.array(z.string()).describe("Tags of the table"),
  parent_id: z.string().nullable().describe("Id of its folder"),
  parents: z
    .array(z.string())
    .describe("Its own id and those of its folders")
    .meta({ example: ["prices"] }),
  source_url: z.string().nullable().describe("Origin of the content"),
  created: Milliseconds.describe("When the table was first uploaded"),
});
export type Table = z.infer<typeof Table>;

export const OneTable = z.object({ table: Table.describe("The table") });
export type OneTable = z.infer<typeof OneTable>;

/** A page of a list, by what comes before it. */
export const tablePage = (what: string) =>
  z.object({
    limit: optional(fromQuery(z.int().min(1).max(100)))
      .transform((limit) => limit ?? 100)
      .describe(`${what} of a page, 1 to 100; 100 by default`)
      .meta({ example: 100 }),
    offset: optional(fromQuery(z.int().min(0).max(1_000_000)))
      .transform((offset) => offset ?? 0)
      .describe(`${what} before the page; 0 by default`)
      .meta({ example: 0 }),
  });

/** Query of the list of tables. */
export const ListTables = tablePage("Tables");
export type ListTables = z.output<typeof ListTables>;

export const TablePage = z.object({
  tables: z.array(Table).describe("Tables, by id"),
  total: z.int().describe("Tables of the data source").meta({ example: 1 }),
});
export type TablePage = z.infer<typeof TablePage>;

export const DeletedTable = z.object({
  table: z
    .object({ table_id: z.string().describe("Id of the table").meta({ example: "prices" }) })
    .describe("What was deleted"),
});
export type DeletedTable = z.infer<typeof DeletedTable>;

const root = "/api/v1/w/{wId}/data_sources/{dsId}/tables";
const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}/data_sources/{dsId}/tables";

const errors = ["data_source_not_found"] as const;
export const readTables = { ...get, scope: "knowledge:read", tags: ["knowledge"], errors } as const;
export const ofTable = {
  params: TableParams,
  errors: [...errors, "table_not_found"],
} as const;
export const writtenTables = { role: "builder", scope: null } as const;
export const upsertTables = {
  ...readTables,
  ...post,
  ...writtenTables,
  // A replay finds nothing if it was deleted in the meantime.
  errors: [...ofTable.errors, "data_source_quota_error"],
} as const;

/** Operations on the tables of data sources. */
export const tableEndpoints = {
  "tables.list": {
    ...readTables,
    summary: "List the tables of a data source with their columns",
    path: root,
    alsoAt: inSpace,
    params: DataSourceParams,
    query: ListTables,
    output: TablePage,
  },
  "tables.upsert": {
    ...upsertTables,
    summary: "Create a table, or change what is said of the one with the same id; its rows stay",
    path: root,
    alsoAt: inSpace,
    params: DataSourceParams,
    body: UpsertTable,
    output: OneTable,
  },
  "tables.uploadCsv": {
    ...upsertTables,
    summary:
      "Upload a table as CSV, replacing the rows of the one with the same id or adding to them",
    path: `${root}/csv`,
    alsoAt: `${inSpace}/csv`,
    params: DataSourceParams,
    body: UpsertTableCsv,
    output: OneTable,
  },
  "tables.get": {
    ...readTables,
    ...ofTable,
    summary: "Read a table with its columns",
    path: `${root}/{tableId}`,
    alsoAt: `${inSpace}/{tableId}`,
    output: OneTable,
  },
  "tables.delete": {
    ...readTables,
    ...ofTable,
    ...writtenTables,
    summary: "Delete a table with its rows",
    method: "DELETE",
    path: `${root}/{tableId}`,
    alsoAt: `${inSpace}/{tableId}`,
    output: DeletedTable,
  },
  "tables.setParents": {
    ...readTables,
    ...post,
    ...writtenTables,
    ...ofTable,
    summary: "Move a table to other folders",
    path: `${root}/{tableId}/parents`,
    alsoAt: `${inSpace}/{tableId}/parents`,
    body: SetParents,
    output: UpdatedParents,
  },
} as const satisfies Record<string, Endpoint>;
