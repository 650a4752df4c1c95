import { printLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { callEndpoint, readListed } from "../grammar/endpoint-calls.ts";
import { findViewId } from "./documents.ts";

interface Divided {
  readonly dataSource: string;
  /** All whose division failed, if none is named. */
  readonly document: string | undefined;
}

/** Has documents of a data source divided again. Throws `CommandError`. */
export async function divideDocuments(
  context: Context,
  { dataSource, document }: Divided,
  options: ServerOptions,
): Promise<void> {
  const connection = await connect(context, options);
  const dataSourceViewId = await findViewId(connection, dataSource);
  const ids = document === undefined ? [] : [document];
  if (document === undefined) {
    const failed = { dataSourceViewId, state: "failed" };
    for await (const { nodeId } of readListed(connection, "dataSourceNodes.list", failed)) {
      ids.push(nodeId);
    }
  }
  for (const id of ids) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: a large data source has thousands
    await callServer(callEndpoint(connection, "dataSourceNodes.divide", { dataSourceViewId, id }));
  }
  if (options.json === true) {
    return printLine(connection.io, JSON.stringify({ divided: ids }));
  }
  const are = ids.length === 1 ? "1 document is" : `${ids.length} documents are`;
  printLine(connection.io, `${are} going to be divided again`);
}
