import type { AdministeredTool } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "./find-one.ts";
import type { Named } from "./one-commands.ts";

export const tools = { many: "tools", one: "tool", open: connect };

/** Reads all tools of the workspace, a page at a time. Throws `CommandError`. */
export const readTools = ({ rpc, wId }: ServerConnection): AsyncGenerator<AdministeredTool> =>
  readPages(
    async (place) => rpc.tools.list.query({ wId, ...place }),
    (page) => page.tools,
  );

/** The tool with an id, or the only one with a name. Throws `CommandError`. */
export const findTool = async (
  connection: ServerConnection,
  reference: string,
): Promise<AdministeredTool> =>
  findOne(readTools(connection), reference, {
    ...tools,
    idOf: ({ tool }) => tool.sId,
    nameOf: ({ tool }) => tool.name,
  });

/** The same, as a sentence names it. */
export async function findToolNamed(
  connection: ServerConnection,
  reference: string,
): Promise<Named & { readonly version: number }> {
  const { tool, version } = await findTool(connection, reference);
  return { id: tool.sId, name: tool.name, version };
}
