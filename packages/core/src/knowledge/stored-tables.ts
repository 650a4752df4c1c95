import {
  dataSourceNodes,
  dataSourceRows,
  dataSourceTables,
  dataSourceViews,
  type Queryable,
} from "@parley/db";
import { invalidRequest, ParleyError, TABLE_LIMITS } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { selectRows } from "../data-access/select-rows.ts";
import type { KnowledgeServices, ViewRow } from "./data-sources.ts";
import { countAdded, type NodeValues, type ShownNode, shownColumns, writeNode } from "./nodes.ts";

/** What a table has beside its node. */
export type StoredTable = typeof dataSourceTables.$inferSelect;

/** A table with its node. */
export interface TableInView {
  readonly node: ShownNode;
  readonly table: StoredTable;
}

/** Rows of one statement. */
const ROWS_AT_ONCE = 2000;

/** The error for a table, or a row of one, that the data source does not have. */
export function unknownTable(what = "The data source has no such table"): ParleyError {
  return new ParleyError("table_not_found", what);
}

const isTable = (view: ViewRow, nodeId: string) =>
  and(eq(dataSourceTables.viewId, view.id), eq(dataSourceTables.nodeId, nodeId));

/** A query for tables of a data source with their nodes. */
export function selectTables(db: Queryable, view: ViewRow, nodeId?: string) {
  const { viewId } = dataSourceTables;
  return db
    .select({ node: shownColumns, table: dataSourceTables })
    .from(dataSourceTables)
    .innerJoin(
      dataSourceNodes,
      and(eq(dataSourceNodes.viewId, viewId), eq(dataSourceNodes.nodeId, dataSourceTables.nodeId)),
    )
    .where(nodeId === undefined ? eq(viewId, view.id) : isTable(view, nodeId));
}

/** What is said of a table. */
export interface TableValues extends Omit<NodeValues, "nodeType" | "content"> {
  readonly name: string;
  readonly description: string;
}

/**
 * Writes what is said of a table of a locked data source, and which columns it has: by default those of before. Its
 * rows stay. Throws `data_source_quota_error`.
 */
export async function writeTable(
  context: Pick<Process, "now"> & KnowledgeServices,
  db: Queryable,
  {
    view,
    values,
    columns,
  }: { view: ViewRow; values: TableValues; columns?: StoredTable["columns"] },
): Promise<TableInView> {
  const { name, description, ...said } = values;
  const { nodeId } = values;
  const [before] = await db.select().from(dataSourceTables).where(isTable(view, nodeId));
  if (before === undefined) {
    const held = await db.$count(dataSourceTables, eq(dataSourceTables.viewId, view.id));
    if (held >= TABLE_LIMITS.tables) {
      const message = `The data source has its maximum of ${TABLE_LIMITS.tables} tables`;
      throw new ParleyError("data_source_quota_error", message);
    }
  }
  const changed = { name, description, columns: columns ?? before?.columns ?? [] };
  const node = { ...said, nodeType: "table", content: textOfTable(changed) } as const;
  const written = await writeNode(context, db, { view, values: node, keepsRows: true });
  const [table] = await db
    .insert(dataSourceTables)
    .values({ viewId: view.id, nodeId, ...changed })
    .onConflictDoUpdate({
      target: [dataSourceTables.viewId, dataSourceTables.nodeId],
      set: changed,
    })
    .returning();
  if (table === undefined) throw new Error("The table was not written");
  return { node: written, table };
}

/** What agents and searches are given of a table as a text: what it holds, and its columns. */
function textOfTable({ description, columns }: Pick<StoredTable, "description" | "columns">) {
  const named = columns.map(({ name, type }) => `${name} (${type})`).join(", ");
  return [description, named && `Columns: ${named}`].filter(Boolean).join("\n");
}

/** Rows to write, each with its cells as JSON. */
interface WrittenRows {
  readonly table: StoredTable;
  /** A row without an id has that of its position. */
  readonly rows: readonly { readonly id?: string | undefined; readonly cells: string }[];
  /** Whether all rows of before are deleted. */
  readonly truncate: boolean;
}

/**
 * Writes rows of a table of a locked data source; one of the same id is replaced. Gives the table with its counts. Throws
 * `data_source_quota_error`, and `invalid_request_error` if a row without an id would replace another.
 */
export async function writeRows(
  context: KnowledgeServices,
  db: Queryable,
  { table, rows, truncate }: WrittenRows,
): Promise<StoredTable> {
  if (truncate) await db.delete(dataSourceRows).where(isOf(table));
  const start = truncate ? 0 : table.lastPosition;
  const kept = truncate ? { rows: 0, bytes: 0 } : { rows: table.rowCount, bytes: table.rowBytes };
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE).map(({ id, cells }, index) => {
      const position = start + from + index + 1;
      return { id: id ?? String(position), position, cells };
    });
    const ids = some.map(({ id }) => id);
    const replaced = await sumRows(db, table, ids);
    if (replaced.rows > 0 && rows[from]?.id === undefined) throw takenId();
    await insertRows(db, table, some);
    const written = await sumRows(db, table, ids);
    kept.rows += written.rows - replaced.rows;
    kept.bytes += written.bytes - replaced.bytes;
  }
  if (kept.rows > TABLE_LIMITS.rows) {
    const message = `A table may have ${TABLE_LIMITS.rows} rows, and this one would have ${kept.rows}`;
    throw new ParleyError("data_source_quota_error", message);
  }
  return setCounts(context, db, table, { ...kept, lastPosition: start + rows.length });
}

/** Deletes a row of a table of a locked data source. Throws `table_not_found`. */
export async function deleteRow(
  context: KnowledgeServices,
  db: Queryable,
  { table, rowId }: { table: StoredTable; rowId: string },
): Promise<void> {
  const { rows, bytes } = await sumRows(db, table, [rowId]);
  if (rows === 0) throw unknownTable("The table has no such row");
  await db.delete(dataSourceRows).where(and(isOf(table), eq(dataSourceRows.rowId, rowId)));
  const { rowCount, rowBytes, lastPosition } = table;
  await setCounts(context, db, table, {
    rows: rowCount - rows,
    bytes: rowBytes - bytes,
    lastPosition,
  });
}

/** The condition that a row is of a table. */
export const isOf = ({ viewId, nodeId }: StoredTable) =>
  and(eq(dataSourceRows.viewId, viewId), eq(dataSourceRows.nodeId, nodeId));

async function setCounts(
  context: KnowledgeServices,
  db: Queryable,
  table: StoredTable,
  { rows: rowCount, bytes: rowBytes, lastPosition }: Sum & { readonly lastPosition: number },
): Promise<StoredTable> {
  // As it is after its other changes.
  const [view] = await db
    .select()
    .from(dataSourceViews)
    .where(eq(dataSourceViews.id, table.viewId));
  if (view === undefined) throw new Error("The data source is gone although it is locked");
  await countAdded(context, db, { view, added: { nodes: 0, bytes: rowBytes - table.rowBytes } });
  const counted = { rowCount, rowBytes, lastPosition };
  await db.update(dataSourceTables).set(counted).where(isTable(view, table.nodeId));
  return { ...table, ...counted };
}

function takenId(): ParleyError {
  const message =
    "rows are added under the ids of their positions, and the table has a row with one of these: send truncate: true";
  return invalidRequest("body", [{ path: "truncate", message }]);
}

interface Sum {
  readonly rows: number;
  readonly bytes: number;
}

/** How many of these rows there are, and the bytes of their ids and cells. */
async function sumRows(db: Queryable, table: StoredTable, ids: readonly string[]): Promise<Sum> {
  const { rowId, cells } = dataSourceRows;
  const [sum] = await selectRows<Sum>(
    db,
    sql`select count(*)::int as rows,
      coalesce(sum(octet_length(${rowId}) + octet_length(${cells}::text)), 0)::float8 as bytes
    from ${dataSourceRows} where ${isOf(table)} and ${rowId} = any(${sql.param([...ids])}::text[])`,
  );
  return sum ?? { rows: 0, bytes: 0 };
}

async function insertRows(
  db: Queryable,
  { viewId, nodeId }: StoredTable,
  rows: readonly { readonly id: string; readonly position: number; readonly cells: string }[],
): Promise<void> {
  const ids = sql.param(rows.map(({ id }) => id));
  const positions = sql.param(rows.map(({ position }) => position));
  const cells = sql.param(rows.map((row) => row.cells));
  await db.execute(sql`
    insert into ${dataSourceRows} (view_id, node_id, row_id, position, cells)
    select ${viewId}::bigint, ${nodeId}::text, r.id, r.position, r.cells::jsonb
    from unnest(${ids}::text[], ${positions}::bigint[], ${cells}::text[]) as r(id, position, cells)
    on conflict (view_id, node_id, row_id) do update set cells = excluded.cells`);
}
