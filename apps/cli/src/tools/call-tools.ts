import type { AdministeredTool, ConnectedTool } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { printLine } from "../print.ts";
import { renderListed, renderTool } from "./render-tools.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { checkRegistration, checkUpdate, readConnection } from "./read-connection.ts";

/** Registers a remote MCP server as a tool. */
export async function registerTool(
  url: string,
  options: ServerOptions &
    ConnectionOptions & {
      space?: string;
      name?: string;
      description?: string;
      restrictedToSkills?: true;
    },
): Promise<void> {
  const { rpc, wId } = await connect(options);
  // Before a person is asked for secrets, the key and the URL are known to be good.
  const { name, description, restrictedToSkills: isRestrictedToSkills } = options;
  const spaceId = options.space ?? (await findOpenSpace(rpc, wId));
  const named = { wId, spaceId, url, name, description, isRestrictedToSkills };
  const input = checkRegistration({ ...named, ...(await readConnection(options)) });
  printTool(await callServer(rpc.tools.register.mutate(input)), options);
}

/** Lists the tools of the workspace. */
export async function listTools(options: ServerOptions): Promise<void> {
  const tools = await Array.fromAsync(readAll(await connect(options)));
  if (options.json) return printLine(JSON.stringify({ tools }));
  for (const tool of tools) printLine(renderListed(tool));
}

/** Shows a tool, with its connection if it has one. */
export async function showTool(reference: string, options: ServerOptions): Promise<void> {
  const { rpc, wId, named } = await find(reference, options);
  const read = rpc.tools.getConnection.query({ wId, toolId: named.tool.sId });
  const shown = await callServer(read).catch((error: unknown) => {
    // One that is only described has none.
    if (errorTypeOf(error) === "tool_not_found") return named;
    throw error;
  });
  printTool(shown, options);
}

/** Asks the server of a tool for its tools again. */
export async function refreshTool(reference: string, options: ServerOptions): Promise<void> {
  const { rpc, wId, named } = await find(reference, options);
  const toolId = named.tool.sId;
  printTool(await callServer(rpc.tools.refresh.mutate({ wId, toolId })), options);
}

/** Changes how the tools of a server are called; what no option names stays as it is. */
export async function updateTool(
  reference: string,
  options: ServerOptions & ConnectionOptions & { server?: string },
): Promise<void> {
  const { rpc, wId, named } = await find(reference, options);
  const toolId = named.tool.sId;
  const before = await callServer(rpc.tools.getConnection.query({ wId, toolId }));
  const changes = { url: options.server, ...(await readConnection(options)) };
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new CommandError("tools update takes what to change; see parley tools update --help");
  }
  const stakes = changes.stakes && { ...before.connection.stakes, ...changes.stakes };
  const input = checkUpdate({ wId, toolId, version: before.version, ...changes, stakes });
  printTool(await callServer(rpc.tools.updateConnection.mutate(input)), options);
}

/** Removes a tool, from the skills that have it too. */
export async function removeTool(reference: string, options: ServerOptions): Promise<void> {
  const { rpc, wId, named } = await find(reference, options);
  const { tool, version } = named;
  const removed = await callServer(rpc.tools.remove.mutate({ wId, toolId: tool.sId, version }));
  printLine(options.json ? JSON.stringify(removed) : `removed: ${tool.name} (${tool.sId})`);
}

/** The tool that the one argument of a command names. */
async function find(reference: string, options: ServerOptions) {
  const connection = await connect(options);
  return { ...connection, named: await findTool(connection, reference) };
}

/** The tool with an id, or the only one with a name. Throws `CommandError`. */
async function findTool(
  connection: ServerConnection,
  reference: string,
): Promise<AdministeredTool> {
  const named: AdministeredTool[] = [];
  for await (const one of readAll(connection)) {
    if (one.tool.sId === reference) return one;
    if (one.tool.name === reference) named.push(one);
  }
  const [tool, ...others] = named;
  if (tool === undefined) {
    throw new CommandError(`There is no tool ${reference}: parley tools list shows what there is`);
  }
  if (others.length === 0) return tool;
  const ids = named.map((one) => one.tool.sId).join(", ");
  throw new CommandError(
    `${named.length} tools are named ${reference}; name one by its id: ${ids}`,
  );
}

async function* readAll({ rpc, wId }: ServerConnection): AsyncGenerator<AdministeredTool> {
  for (let lastValue: string | undefined, hasMore = true; hasMore;) {
    const place = lastValue === undefined ? {} : { lastValue };
    const page = await callServer(rpc.tools.list.query({ wId, ...place }));
    yield* page.tools;
    lastValue = page.lastValue ?? undefined;
    ({ hasMore } = page);
  }
}

/** The space that everybody reaches. */
async function findOpenSpace(rpc: ServerConnection["rpc"], wId: string): Promise<string> {
  const { spaces } = await callServer(rpc.spaces.list.query({ wId, kinds: ["global"] }));
  const [space] = spaces;
  if (space !== undefined) return space.sId;
  throw new CommandError("The workspace has no open space: name one with --space");
}

function printTool(shown: AdministeredTool | ConnectedTool, { json }: ServerOptions): void {
  if (json) return printLine(JSON.stringify(shown));
  for (const line of renderTool(shown)) printLine(line);
}
