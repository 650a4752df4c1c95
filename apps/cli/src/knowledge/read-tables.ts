import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { findDataSource } from "../grammar/nouns.ts";

const PAGE = 100;

/** A table, by what a person calls it. */
export interface NamedTable {
  /** By id or name. */
  readonly dataSource: string;
  readonly table: string;
}

/** The id of a data source, which is named by its id or name. Throws `CommandError`. */
export async function findSourceId(
  connection: ServerConnection,
  dataSource: string,
): Promise<string> {
  return (await callServer(findDataSource(connection, dataSource))).id;
}

/** Reads the tables of a data source. Throws `CommandError`. */
export async function* readTables(connection: ServerConnection, dataSource: string) {
  const { rpc, wId } = connection;
  const dsId = await findSourceId(connection, dataSource);
  for (let offset = 0; ; offset += PAGE) {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const { tables } = await callServer(rpc.tables.list.query({ wId, dsId, limit: PAGE, offset }));
    yield* tables;
    if (tables.length < PAGE) return;
  }
}
