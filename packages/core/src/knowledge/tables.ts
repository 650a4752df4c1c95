import { dataSourceNodes, dataSourceTables, type Queryable } from "@parley/db";
import type {
  DataSourceParams,
  DeletedTable,
  ListTables,
  OneTable,
  SetParents,
  Table,
  TablePage,
  TableParams,
  UpdatedParents,
  UpsertTable,
  UpsertTableCsv,
} from "@parley/schema";
import { invalidRequest, TABLE_LIMITS } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransactionOnce } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import { type Job, threadModule } from "../untrusted/job.ts";
import { threadOptions } from "../untrusted/threads.ts";
import type { readCsv } from "./csv-thread.ts";
import { holdWorkspace, requireDataSource, type ViewRow } from "./data-sources.ts";
import { parentsOf } from "./document-text.ts";
import type { UploadContext } from "./documents.ts";
import { deleteNode, isNode } from "./nodes.ts";
import {
  selectTables,
  type StoredTable,
  type TableInView,
  type TableValues,
  unknownTable,
  writeRows,
  writeTable,
} from "./stored-tables.ts";

/** A table of the longest that there may be takes a second. */
const csvJob: Job<Parameters<typeof readCsv>[0], ReturnType<typeof readCsv>> = {
  url: threadModule("csv-thread", import.meta.url),
  name: "readCsv",
  deadlineMs: 10_000,
};

/** A table with its node, and the data source. Throws `data_source_not_found` and `table_not_found`. */
export async function requireTable(
  db: Queryable,
  context: Context,
  { dsId, spaceId, tableId }: TableParams,
  isLocked = false,
): Promise<TableInView & { readonly view: ViewRow }> {
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked });
  const [found] = await selectTables(db, view, tableId);
  if (found === undefined) throw unknownTable();
  return { view, ...found };
}

/** Lists the tables of a data source, by their ids. Throws `data_source_not_found`. */
export async function listTables(
  context: Context,
  { dsId, spaceId, limit, offset }: DataSourceParams & ListTables,
): Promise<TablePage> {
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const rows = await selectTables(db, view)
    .orderBy(asc(dataSourceTables.nodeId))
    .limit(limit)
    .offset(offset);
  const total = await db.$count(dataSourceTables, eq(dataSourceTables.viewId, view.id));
  return { tables: rows.map((row) => renderTable(view, row)), total };
}

/** Reads a table. Throws `data_source_not_found` and `table_not_found`. */
export async function getTable(context: Context, input: TableParams): Promise<OneTable> {
  const { view, ...found } = await requireTable(context.database.db, context, input);
  return { table: renderTable(view, found) };
}

/**
 * Creates a table, or changes what is said of it: its rows stay. A document or folder of the same id is replaced. Throws
 * `data_source_not_found`, `data_source_quota_error`, and `invalid_request_error` for a body that contradicts itself.
 */
export async function upsertTable(
  context: UploadContext,
  input: DataSourceParams & UpsertTable,
): Promise<OneTable> {
  const values = valuesOf(context, input);
  const { dsId, spaceId } = input;
  return inTransactionOnce(context, { id: values.nodeId }, async ({ db }) => {
    await holdWorkspace(db, context.caller.workspace.id);
    const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: true });
    return { table: renderTable(view, await writeTable(context, db, { view, values })) };
  });
}

/** Replays an upload with the table as it now is. Throws `table_not_found`. */
export async function replayTable(
  context: Context,
  input: DataSourceParams & UpsertTable,
): Promise<OneTable> {
  return getTable(context, { ...input, tableId: tableIdOf(input) });
}

/**
 * Writes a table as CSV says, in place of the rows of before or after them. Throws what `upsertTable` throws, with the row
 * and the column of a cell that is wrong.
 */
export async function uploadCsv(
  context: UploadContext,
  input: DataSourceParams & UpsertTableCsv,
): Promise<OneTable> {
  const values = valuesOf(context, input);
  const { dsId, spaceId, csv, truncate } = input;
  const before = truncate ? [] : await columnsOf(context, input);
  const asked = { csv, columns: before, limits: TABLE_LIMITS };
  const outcome = await context.threads.call(csvJob, asked, threadOptions(context));
  const read = "value" in outcome ? outcome.value : { fault: `is ${outcome.failure} to be read` };
  if ("fault" in read) throw invalidRequest("body", [{ path: "csv", message: read.fault }]);
  return inTransactionOnce(context, { id: values.nodeId }, async ({ db }) => {
    await holdWorkspace(db, context.caller.workspace.id);
    const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: true });
    const [current] = await selectTables(db, view, values.nodeId);
    if (!truncate && !isEqual(current?.table.columns ?? [], before)) {
      const message = "the columns of the table were changed in the meantime: send it again";
      throw invalidRequest("body", [{ path: "csv", message }]);
    }
    const { node, table } = await writeTable(context, db, { view, values, columns: read.columns });
    const given = { table, rows: read.rows.map((cells) => ({ cells })), truncate };
    const written = await writeRows(context, db, given);
    return { table: renderTable(view, { node, table: written }) };
  });
}

const isEqual = (some: StoredTable["columns"], others: StoredTable["columns"]): boolean =>
  some.length === others.length &&
  some.every(
    ({ name, type }, index) => name === others[index]?.name && type === others[index].type,
  );

async function columnsOf(
  context: Context,
  input: DataSourceParams & UpsertTable,
): Promise<StoredTable["columns"]> {
  const { dsId, spaceId } = input;
  const { db } = context.database;
  const view = await requireDataSource(db, context, { dsId, spaceId, isLocked: false });
  const [found] = await selectTables(db, view, tableIdOf(input));
  return found?.table.columns ?? [];
}

/** Deletes a table with its rows. Throws `data_source_not_found` and `table_not_found`. */
export async function deleteTable(context: Context, input: TableParams): Promise<DeletedTable> {
  const { tableId } = input;
  await inTransaction(context, async ({ db }) => {
    const { view } = await requireTable(db, context, input, true);
    await deleteNode(db, { view, nodeId: tableId });
  });
  return { table: { table_id: tableId } };
}

/**
 * Moves a table to other folders. Throws `data_source_not_found`, `table_not_found`, and `invalid_request_error` for
 * parents that contradict each other.
 */
export async function setTableParents(
  context: UploadContext,
  { parents: given, parent_id: parentId, ...input }: TableParams & SetParents,
): Promise<UpdatedParents> {
  const { tableId } = input;
  const parents = parentsOf(tableId, { parents: given, parent_id: parentId ?? undefined });
  return inTransactionOnce(context, { id: tableId }, async ({ db }) => {
    const { view } = await requireTable(db, context, input, true);
    await db
      .update(dataSourceNodes)
      .set({ parents, updatedAt: context.now() })
      .where(isNode(view, tableId));
    return { updated: true };
  });
}

const tableIdOf = ({ table_id: id, name }: Pick<UpsertTable, "table_id" | "name">): string =>
  id ?? name;

function valuesOf(context: Context, input: UpsertTable): TableValues {
  const nodeId = tableIdOf(input);
  const { name, description = "", tags = [], mime_type: mimeType } = input;
  return {
    nodeId,
    name,
    description,
    title: input.title || name,
    contentType: mimeType ?? "text/csv",
    sourceUrl: input.source_url ?? null,
    tags,
    parents: parentsOf(nodeId, input),
    timestamp: input.timestamp ?? context.now(),
  };
}

/** A table as the wire shows it. */
export function renderTable(view: Pick<ViewRow, "dataSourceSid">, found: TableInView): Table {
  const { node, table } = found;
  return {
    data_source_id: view.dataSourceSid,
    table_id: node.nodeId,
    name: table.name,
    title: node.title,
    description: table.description,
    schema: table.columns.map(({ name, type }) => ({ name, value_type: type })),
    row_count: table.rowCount,
    size: table.rowBytes,
    mime_type: node.contentType,
    timestamp: node.timestamp,
    tags: node.tags,
    parent_id: node.parents[1] ?? null,
    parents: node.parents,
    source_url: node.sourceUrl,
    created: node.createdAt,
  };
}
