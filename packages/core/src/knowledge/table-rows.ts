import { dataSourceRows } from "@parley/db";
import {
  type DeletedTableRow,
  invalidRequest,
  type ListTableRows,
  type OneTable,
  TABLE_LIMITS,
  type TableParams,
  type TableRow,
  type TableRowPage,
  type TableRowParams,
  type UpsertTableRows,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransactionOnce } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import { holdWorkspace, type KnowledgeServices } from "./data-sources.ts";
import type { UploadContext } from "./documents.ts";
import {
  deleteRow,
  isOf,
  type StoredTable,
  unknownTable,
  writeRows,
  writeTable,
} from "./stored-tables.ts";
import { type Cell, fitRows, writeTime } from "./table-cells.ts";
import { getTable, renderTable, requireTable } from "./tables.ts";

/** Lists the rows of a table in their order. Throws `data_source_not_found` and `table_not_found`. */
export async function listTableRows(
  context: Context,
  { limit, offset, ...input }: TableParams & ListTableRows,
): Promise<TableRowPage> {
  const { db } = context.database;
  const { table } = await requireTable(db, context, input);
  const rows = await db
    .select()
    .from(dataSourceRows)
    .where(isOf(table))
    .orderBy(asc(dataSourceRows.position))
    .limit(limit)
    .offset(offset);
  return { rows: rows.map((row) => renderRow(table, row)), total: table.rowCount };
}

/** Reads a row. Throws `data_source_not_found` and `table_not_found`. */
export async function getTableRow(
  context: Context,
  { rowId, ...input }: TableRowParams,
): Promise<{ row: TableRow }> {
  const { db } = context.database;
  const { table } = await requireTable(db, context, input);
  const [row] = await db
    .select()
    .from(dataSourceRows)
    .where(and(isOf(table), eq(dataSourceRows.rowId, rowId)));
  if (row === undefined) throw unknownTable("The table has no such row");
  return { row: renderRow(table, row) };
}

/**
 * Writes rows, each in place of the one with the same id. Throws `data_source_not_found`, `table_not_found`,
 * `data_source_quota_error`, and `invalid_request_error` for a value that is not of the type of its column.
 */
export async function upsertTableRows(
  context: UploadContext,
  { rows, truncate = false, ...input }: TableParams & UpsertTableRows,
): Promise<OneTable> {
  requireOwnIds(rows);
  return inTransactionOnce(context, { id: input.tableId }, async ({ db }) => {
    await holdWorkspace(db, context.caller.workspace.id);
    const { view, node, table } = await requireTable(db, context, input, true);
    const fitted = fitRows(truncate ? [] : table.columns, rows, TABLE_LIMITS);
    if ("path" in fitted) throw invalidRequest("body", [fitted]);
    const { title, contentType, sourceUrl, tags, parents, providerVisibility } = node;
    const { nodeId, name, description } = table;
    const said = { title, contentType, sourceUrl, tags, parents, providerVisibility };
    const values = { nodeId, name, description, ...said };
    const { columns } = fitted;
    const written = await writeTable(context, db, { view, values, columns });
    const stored = fitted.rows.map((cells, index) => ({
      id: rows[index]?.row_id,
      cells: JSON.stringify(cells),
    }));
    const counted = await writeRows(context, db, { table: written.table, rows: stored, truncate });
    return { table: renderTable(view, { node: written.node, table: counted }) };
  });
}

/** Replays an upload of rows with the table as it now is. */
export async function replayTableRows(context: Context, input: TableParams): Promise<OneTable> {
  return getTable(context, input);
}

/** Deletes a row. Throws `data_source_not_found` and `table_not_found`. */
export async function deleteTableRow(
  context: Context & KnowledgeServices,
  { rowId, ...input }: TableRowParams,
): Promise<DeletedTableRow> {
  await inTransaction(context, async ({ db }) => {
    const { table } = await requireTable(db, context, input, true);
    await deleteRow(context, db, { table, rowId });
  });
  return { row: { row_id: rowId } };
}

function requireOwnIds(rows: UpsertTableRows["rows"]): void {
  const places = new Map<string, number>();
  for (const [index, { row_id: id }] of rows.entries()) {
    const first = places.get(id);
    if (first !== undefined) {
      const message = `is the id of rows[${first}] too`;
      throw invalidRequest("body", [{ path: `rows[${index}].row_id`, message }]);
    }
    places.set(id, index);
  }
}

function renderRow(
  { columns }: StoredTable,
  { rowId, cells }: typeof dataSourceRows.$inferSelect,
): TableRow {
  const value = columns.map(({ name, type }, place) => {
    const cell: Cell = cells[place] ?? null;
    if (type !== "datetime" || typeof cell !== "number") return [name, cell] as const;
    return [name, { type, epoch: cell, string_value: writeTime(cell) }] as const;
  });
  return { row_id: rowId, value: Object.fromEntries(value) };
}
