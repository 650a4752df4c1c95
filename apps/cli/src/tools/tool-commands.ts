import { parseArgs } from "node:util";
import type { AdministeredTool, ConnectedTool } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";
import { renderListed, renderTool } from "./render-tools.ts";
import {
  connect,
  onlyOne,
  type Print,
  type ServerCommand,
  type ServerConnection,
  serverOptions,
  type ServerValues,
} from "../connection/server-command.ts";
import {
  checkRegistration,
  checkUpdate,
  connectionOptions,
  readConnection,
} from "./tool-options.ts";

/** Registers a remote MCP server as a tool. */
const register: ServerCommand = async (args, print) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...serverOptions,
      ...connectionOptions,
      space: { type: "string" },
      name: { type: "string" },
      description: { type: "string" },
      "restricted-to-skills": { type: "boolean" },
    },
  });
  const server = onlyOne(positionals, "tools register takes the URL of one server");
  const { rpc, wId } = connect(values);
  // Before a person is asked for secrets, the key and the URL are known to be good.
  const spaceId = values.space ?? (await findOpenSpace(rpc, wId));
  const input = checkRegistration({
    wId,
    spaceId,
    url: server,
    name: values.name,
    description: values.description,
    isRestrictedToSkills: values["restricted-to-skills"],
    ...(await readConnection(values)),
  });
  const registered = await callServer(rpc.tools.register.mutate(input));
  printTool(registered, { values, print });
};

/** Lists the tools of the workspace. */
const list: ServerCommand = async (args, print) => {
  const { values } = parseArgs({ args: [...args], options: serverOptions });
  const tools = await Array.fromAsync(readAll(connect(values)));
  if (values.json) return print(JSON.stringify({ tools }));
  for (const tool of tools) print(renderListed(tool));
};

/** Shows a tool, with its connection if it has one. */
const show: ServerCommand = async (args, print) => {
  const { values, named, connection } = await find("show", args);
  const { rpc, wId } = connection;
  const read = rpc.tools.getConnection.query({ wId, toolId: named.tool.sId });
  const shown = await callServer(read).catch((error: unknown) => {
    // One that is only described has none.
    if (errorTypeOf(error) === "tool_not_found") return named;
    throw error;
  });
  printTool(shown, { values, print });
};

/** Asks the server of a tool for its tools again. */
const refresh: ServerCommand = async (args, print) => {
  const { values, named, connection } = await find("refresh", args);
  const { rpc, wId } = connection;
  const toolId = named.tool.sId;
  printTool(await callServer(rpc.tools.refresh.mutate({ wId, toolId })), { values, print });
};

/** Changes how the tools of a server are called; what no option names stays as it is. */
const update: ServerCommand = async (args, print) => {
  const options = { ...serverOptions, ...connectionOptions, server: { type: "string" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const reference = onlyOne(positionals, "tools update takes one tool");
  const connection = connect(values);
  const { rpc, wId } = connection;
  const toolId = (await findTool(connection, reference)).tool.sId;
  const before = await callServer(rpc.tools.getConnection.query({ wId, toolId }));
  const changes = { url: values.server, ...(await readConnection(values)) };
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new CommandError("tools update takes what to change; see parley --help");
  }
  const stakes = changes.stakes && { ...before.connection.stakes, ...changes.stakes };
  const input = checkUpdate({ wId, toolId, version: before.version, ...changes, stakes });
  printTool(await callServer(rpc.tools.updateConnection.mutate(input)), { values, print });
};

/** Removes a tool, from the skills that have it too. */
const remove: ServerCommand = async (args, print) => {
  const { values, named, connection } = await find("remove", args);
  const { tool, version } = named;
  const { rpc, wId } = connection;
  const removed = await callServer(rpc.tools.remove.mutate({ wId, toolId: tool.sId, version }));
  print(values.json ? JSON.stringify(removed) : `removed: ${tool.name} (${tool.sId})`);
};

/** The commands about tools, by their second word. */
export const toolCommands = { register, list, show, refresh, update, remove } as const;

/** The tool that the one argument of a command names. */
async function find(command: string, args: readonly string[]) {
  const parsed = parseArgs({ args: [...args], allowPositionals: true, options: serverOptions });
  const { values, positionals } = parsed;
  const reference = onlyOne(positionals, `tools ${command} takes one tool`);
  const connection = connect(values);
  return { values, connection, named: await findTool(connection, reference) };
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

function printTool(
  shown: AdministeredTool | ConnectedTool,
  { values, print }: { values: ServerValues; print: Print },
): void {
  if (values.json) return print(JSON.stringify(shown));
  for (const line of renderTool(shown)) print(line);
}
