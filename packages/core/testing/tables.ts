import { endpoints, parseInput } from "@parley/schema";
import type { CoreContext } from "../src/create-core.ts";
import { uploadCsv } from "../src/knowledge/tables.ts";
import type { TestOperator } from "./operator.ts";

/** Writes a document without a text. */
export async function insertTestDocument(
  operator: Pick<TestOperator, "putDataSourceNode">,
  view: { readonly wId: string; readonly dataSourceViewId: string },
): Promise<void> {
  await operator.putDataSourceNode({ ...view, nodeId: "n", nodeType: "document", title: "N" });
}

/** Uploads a table of two rows, or another one, to a data source. Gives the id of its view. */
export async function insertTestTable(
  context: CoreContext,
  { dataSourceId: dsId, sId }: { readonly dataSourceId: string; readonly sId: string },
  table: { readonly csv?: string; readonly tags?: string[] } = {},
): Promise<string> {
  const csv = "product,price\nTea,3.5\nMilk,1\n";
  const input = { wId: context.caller.workspace.sid, dsId, name: "prices", csv, ...table };
  await uploadCsv(context, parseInput(endpoints["tables.uploadCsv"], input));
  return sId;
}
