import { oneLine, printLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { findSourceId, type NamedTable } from "./read-tables.ts";

/** Prints the columns of a table and its first rows. Throws `CommandError`. */
export async function showTable(
  context: Context,
  { dataSource, table: tableId }: NamedTable,
  { limit, ...options }: ServerOptions & { readonly limit: string },
): Promise<void> {
  const connection = await connect(context, options);
  const { io, rpc, wId } = connection;
  const named = { wId, dsId: await findSourceId(connection, dataSource), tableId };
  const { table } = await callServer(rpc.tables.get.query(named));
  const page = { ...named, limit: Number(limit) };
  const { rows, total } = await callServer(rpc.tableRows.list.query(page));
  if (options.json === true) return printLine(io, JSON.stringify({ table, rows, total }));
  const columns = table.schema.map(({ name, value_type }) => `${name} (${value_type})`).join(", ");
  printLine(io, oneLine(`${table.title}: ${total} rows of ${columns}`));
  if (rows.length === 0) return;
  const { renderTable } = await import("../terminal/table.ts");
  const names = table.schema.map(({ name }) => name);
  const cells = rows.map(({ row_id, value }) => [
    row_id,
    ...names.map((name) => textOf(value[name])),
  ]);
  for (const line of renderTable(io, ["ROW", ...names.map(oneLine)], cells)) printLine(io, line);
}

type Cell = string | number | boolean | { readonly string_value: string } | null | undefined;

const textOf = (cell: Cell): string =>
  typeof cell === "object" && cell !== null ? cell.string_value : String(cell ?? "");
