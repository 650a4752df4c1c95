import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { optional, Reference, text } from "../parsing/text.ts";
import {
  OneTable,
  ofTable,
  readTables,
  TABLE_LIMITS,
  tablePage,
  TableParams,
  upsertTables,
  writtenTables,
} from "./tables.ts";

export const TableRowParams = TableParams.extend({
  rowId: Reference.describe("Id of the row, which its uploader chooses").meta({ example: "tea" }),
});
export type TableRowParams = z.output<typeof TableRowParams>;

/** A time in a cell. */
const DatetimeCell = z.object({
  type: z.literal("datetime").describe("Marks a time"),
  epoch: z
    .int()
    .min(-8.64e15)
    .max(8.64e15)
    .describe("Milliseconds since 1970")
    .meta({ example: 1_780_000_000_000 }),
});

/** A cell as it is sent. */
const SentCell = z
  .union([text(TABLE_LIMITS.cellCharacters), z.number(), z.boolean(), DatetimeCell], {
    error: `must be a text of at most ${TABLE_LIMITS.cellCharacters} characters, a number, a boolean, null, or {"type": "datetime", "epoch": milliseconds}`,
  })
  .nullable();
export type SentCell = z.output<typeof SentCell>;

/** Body of the upload of rows. */
export const UpsertTableRows = z.object({
  rows: z
    .array(
      z.object({
        row_id: Reference.describe("Id of the row").meta({ example: "tea" }),
        value: z
          .record(text(255, 1), SentCell)
          .describe("Its cells by the names of their columns")
          .meta({ example: { product: "Tea", price: 3.5 } }),
      }),
    )
    .max(TABLE_LIMITS.rowsAtOnce)
    .describe("Rows; each replaces the one with the same id"),
  truncate: optional(z.boolean()).describe(
    "Whether to delete all rows and columns first; by default, other rows stay",
  ),
});
export type UpsertTableRows = z.output<typeof UpsertTableRows>;

/** A row of a table. */
export const TableRow = z.object({
  row_id: z.string().describe("Id of the row").meta({ example: "tea" }),
  value: z
    .record(
      z.string(),
      z
        .union([
          z.string(),
          z.number(),
          z.boolean(),
          z.object({
            type: z.literal("datetime").describe("Marks a time"),
            epoch: z.int().describe("Milliseconds since 1970"),
            string_value: z.string().describe("The same in ISO 8601"),
          }),
        ])
        .nullable(),
    )
    .describe("Its cells by the names of their columns")
    .meta({ example: { product: "Tea", price: 3.5 } }),
});
export type TableRow = z.infer<typeof TableRow>;

/** Query of the list of rows. */
export const ListTableRows = tablePage("Rows");
export type ListTableRows = z.output<typeof ListTableRows>;

export const TableRowPage = z.object({
  rows: z.array(TableRow).describe("Rows, in the order in which they were first uploaded"),
  total: z.int().describe("Rows of the table").meta({ example: 1 }),
});
export type TableRowPage = z.infer<typeof TableRowPage>;

export const DeletedTableRow = z.object({
  row: z
    .object({ row_id: z.string().describe("Id of the row").meta({ example: "tea" }) })
    .describe("What was deleted"),
});
export type DeletedTableRow = z.infer<typeof DeletedTableRow>;

const root = "/api/v1/w/{wId}/data_sources/{dsId}/tables/{tableId}/rows";
const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}/data_sources/{dsId}/tables/{tableId}/rows";
const ofRows = { ...readTables, ...ofTable, path: root, alsoAt: inSpace } as const;
const ofRow = {
  ...ofRows,
  path: `${root}/{rowId}`,
  alsoAt: `${inSpace}/{rowId}`,
  params: TableRowParams,
} as const;

/** Operations on the rows of tables. */
export const tableRowEndpoints = {
  "tableRows.list": {
    ...ofRows,
    summary: "List the rows of a table",
    query: ListTableRows,
    output: TableRowPage,
  },
  "tableRows.upsert": {
    ...ofRows,
    ...upsertTables,
    summary: "Upload rows of a table, each replacing the one with the same id",
    body: UpsertTableRows,
    output: OneTable,
  },
  "tableRows.get": {
    ...ofRow,
    summary: "Read a row of a table",
    output: z.object({ row: TableRow.describe("The row") }),
  },
  "tableRows.delete": {
    ...ofRow,
    ...writtenTables,
    summary: "Delete a row of a table",
    method: "DELETE",
    output: DeletedTableRow,
  },
} as const satisfies Record<string, Endpoint>;
