import type { AdministeredTool } from "@parley/schema";
import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";

/** Reads all tools of the workspace, a page at a time. Throws `CommandError`. */
export const readTools = ({ rpc, wId }: ServerConnection): AsyncGenerator<AdministeredTool> =>
  readPages(
    async (place) => rpc.tools.list.query({ wId, ...place }),
    ({ tools }) => tools,
  );

/** The tool with an id, or the only one with a name. Throws `CommandError`. */
export const findTool = async (
  connection: ServerConnection,
  reference: string,
): Promise<AdministeredTool> =>
  findOne(readTools(connection), reference, {
    many: "tools",
    one: "tool",
    idOf: ({ tool }) => tool.sId,
    nameOf: ({ tool }) => tool.name,
  });
