import { pathsOf, type Request } from "../request.ts";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

interface Given {
  readonly server: () => Server;
  readonly call: (name: string, input: object) => Promise<string>;
  readonly rest: (request: Request) => Promise<{ type: string }>;
}

/** What provokes the errors of tables that no member of an input does. The server's data sources may hold 20,000 bytes. */
export function wrongTables(
  { rpc }: Pick<ReturnType<typeof createCalls>, "rpc">,
  { server, call, rest }: Given,
): Record<string, () => Promise<string>> {
  // One for all, as there may be few.
  let made: Promise<{ wId: string; dsId: string }> | undefined;
  const makeSource = async () => {
    const { workspaceId: wId, spaceId } = server().demo;
    const view = { wId, spaceId, name: "Tables" };
    const { dataSourceView } = await rpc().dataSourceViews.create.mutate(view);
    return { wId, dsId: dataSourceView.dataSourceId };
  };
  const source = () => (made ??= makeSource());
  const move = (place: object) =>
    call("tables.setParents", { ...place, tableId: "nobody", parents: ["nobody"] });
  /** Repeats an upload whose table was deleted in the meantime. */
  const repeat = async (tail: string, more: object = {}) => {
    const { dsId } = await source();
    const path = `${pathsOf(server()).workspace}/data_sources/${dsId}/tables`;
    const upload = {
      path: path + tail,
      json: { name: "t", ...more },
      headers: { "idempotency-key": `table${tail}` },
    };
    await rest(upload);
    await rest({ method: "DELETE", path: `${path}/t` });
    return (await rest(upload)).type;
  };
  return {
    "tables.setParents data_source_not_found": async () =>
      move({ wId: server().demo.workspaceId, dsId: "nobody" }),
    "tables.setParents table_not_found": async () => move(await source()),
    "tables.upsert table_not_found": async () => repeat(""),
    "tables.uploadCsv table_not_found": async () => repeat("/csv", { csv: "a" }),
    "tableRows.upsert data_source_quota_error": async () => {
      const place = await source();
      await rpc().tables.upsert.mutate({ ...place, name: "t" });
      const value = { a: "x".repeat(8000) };
      const rows = ["1", "2", "3"].map((id) => ({ row_id: id, value }));
      return call("tableRows.upsert", { ...place, tableId: "t", rows });
    },
  };
}
