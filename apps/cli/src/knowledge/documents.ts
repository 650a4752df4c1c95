import { connect, type ServerConnection } from "../connection/connect.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import { nounOf } from "../grammar/noun.ts";
import { findDataSource } from "../grammar/nouns.ts";

/** What data sources hold. */
export const documents = nounOf("dataSourceNodes.list", {
  many: "knowledge documents",
  one: "document",
  open: connect,
  idOf: ({ nodeId }) => nodeId,
  nameOf: ({ title }) => title,
});

/** Reads what is in a data source, which is named by its id or name. Throws `CommandError`. */
export async function* readDocuments(
  connection: ServerConnection,
  filters: object,
  dataSource: string,
) {
  const dataSourceViewId = await findViewId(connection, dataSource);
  yield* readListed(connection, "dataSourceNodes.list", { dataSourceViewId, ...filters });
}

/** The id of the view of a data source, which is named by its id or name. Throws `CommandError`. */
export async function findViewId(
  connection: ServerConnection,
  reference: string,
): Promise<string | undefined> {
  return (await findDataSource(connection, reference)).item?.sId;
}
