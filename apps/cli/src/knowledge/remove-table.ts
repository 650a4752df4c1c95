import { oneLine, printLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { confirm } from "../terminal/confirm.ts";
import { findSourceId, type NamedTable } from "./read-tables.ts";

/** Deletes a table with its rows, once that is confirmed. Throws `CommandError`. */
export async function removeTable(
  context: Context,
  { dataSource, table: tableId }: NamedTable,
  { yes, ...options }: ServerOptions & { readonly yes?: true | undefined },
): Promise<void> {
  const connection = await connect(context, options);
  const { io, rpc, wId } = connection;
  const dsId = await findSourceId(connection, dataSource);
  await confirm(io, { what: `remove the table ${tableId} with its rows`, typed: tableId, yes });
  const removed = await callServer(rpc.tables.delete.mutate({ wId, dsId, tableId }));
  if (options.json === true) printLine(io, JSON.stringify(removed));
  else printLine(io, oneLine(`removed: table ${tableId}`));
}
