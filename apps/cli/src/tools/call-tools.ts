import { calledWrongly, CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, printLine } from "@parley/command/print";
import {
  type AdministeredTool,
  type ConnectedTool,
  RegisterTool,
  UpdateToolConnection,
} from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { check, connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { findOne } from "../grammar/find-one.ts";
import { findSpace, tools } from "../grammar/nouns.ts";
import type { ConnectionOptions } from "./commands.ts";
import type { Context } from "../connection/context.ts";
import { readSecrets } from "../connection/read-secrets.ts";

/** The settings of a connection that options name; secrets come from standard input or a prompt. */
async function readConnection(io: Io, options: ConnectionOptions) {
  const { bearer = false, header: names = [], oauthClient: clientId } = options;
  const { oauthScope: scope, perUser: isPerUser = false } = options;
  if (scope !== undefined && clientId === undefined && !isPerUser) {
    throw new CommandError("--oauth-scope needs --oauth-client or --per-user");
  }
  const wanted = [
    ...(bearer ? ["the bearer token"] : []),
    ...names.map((name) => `the value of ${name}`),
    ...(clientId === undefined ? [] : ["the secret of the OAuth client"]),
  ];
  const secrets = await readSecrets(io, wanted);
  const headers = [
    ...(bearer ? [["Authorization", `Bearer ${secrets.shift()}`] as const] : []),
    ...names.map((name) => [name, secrets.shift() ?? ""] as const),
  ];
  return {
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...((clientId !== undefined || isPerUser) && {
      oauth: {
        grant: isPerUser ? "authorization_code" : "client_credentials",
        clientId,
        // Some clients for users have no secret.
        clientSecret: secrets.shift() || undefined,
        scope,
      },
    }),
    defaultStake: options.defaultStake,
    stakes: options.stake && Object.fromEntries(options.stake.map(readStake)),
    // An empty name leaves none.
    retryableTools: options.retryable?.filter((name) => name !== ""),
    timeoutMs: numberIn(options.timeoutMs),
    maxConcurrent: numberIn(options.maxConcurrent),
  };
}

function readStake(given: string): [tool: string, stake: string] {
  const at = given.lastIndexOf("=");
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  throw new CommandError(
    "--stake takes a tool and who approves it, such as --stake find=never_ask",
  );
}

const numberIn = (value: string | undefined) => (value === undefined ? undefined : Number(value));

/** Checks the registration of a server. Throws `CommandError`, which names the first fault. */
const checkRegistration = (input: object) => check(RegisterTool, input);

/** Checks the change of a connection. Throws `CommandError`, which names the first fault. */
const checkUpdate = (input: object) => check(UpdateToolConnection, input);

/** Registers a remote MCP server as a tool. */
export async function createTool(
  context: Context,
  url: string,
  options: ServerOptions &
    ConnectionOptions & {
      space?: string;
      name?: string;
      description?: string;
      restrictedToSkills?: true;
    },
): Promise<void> {
  const server = await connect(context, options);
  const { rpc, wId } = server;
  // Before a person is asked for secrets, the key and the URL are known to be good.
  const { name, description, restrictedToSkills: isRestrictedToSkills } = options;
  const spaceId = await findSpaceFor(server, options.space);
  const named = { wId, spaceId, url, name, description, isRestrictedToSkills };
  const input = checkRegistration({ ...named, ...(await readConnection(context.io, options)) });
  const registered = await callServer(rpc.tools.register.mutate(input));
  printTool(context.io, registered, options);
  const { tool, connection } = registered;
  // Those for each user name their tools once somebody has allowed it.
  if (tool.server.tools.length > 0 || connection.oauth?.grant === "authorization_code") return;
  throw new CommandError(
    `${tool.name} is registered, but its server offers no tools yet. Once it does, run parley tools refresh ${tool.sId}`,
  );
}

/** Shows a tool, with its connection if it has one. */
export async function getTool(
  context: Context,
  reference: string,
  options: ServerOptions,
): Promise<void> {
  const { rpc, wId, named } = await find(context, reference, options);
  const read = rpc.tools.getConnection.query({ wId, toolId: named.tool.sId });
  const shown = await callServer(read).catch((error: unknown) => {
    // One that is only described has none.
    if (errorTypeOf(error) === "tool_not_found") return named;
    throw error;
  });
  printTool(context.io, shown, options);
}

/** Asks the server of a tool for its tools again. */
export async function refreshTool(
  context: Context,
  reference: string,
  options: ServerOptions,
): Promise<void> {
  const { rpc, wId, named } = await find(context, reference, options);
  const toolId = named.tool.sId;
  printTool(context.io, await callServer(rpc.tools.refresh.mutate({ wId, toolId })), options);
}

/** Changes how the tools of a server are called; what no option names stays as it is. */
export async function updateTool(
  context: Context,
  reference: string,
  options: ServerOptions & ConnectionOptions & { server?: string },
): Promise<void> {
  const { rpc, wId, named } = await find(context, reference, options);
  const toolId = named.tool.sId;
  const before = await callServer(rpc.tools.getConnection.query({ wId, toolId }));
  const changes = { url: options.server, ...(await readConnection(context.io, options)) };
  if (Object.values(changes).every((value) => value === undefined)) {
    throw calledWrongly("parley tools update", "name at least one option to change");
  }
  const stakes = changes.stakes && { ...before.connection.stakes, ...changes.stakes };
  const input = checkUpdate({ wId, toolId, version: before.version, ...changes, stakes });
  printTool(context.io, await callServer(rpc.tools.updateConnection.mutate(input)), options);
}

/** The tool that the one argument of a command names. */
async function find(context: Context, reference: string, options: ServerOptions) {
  const connection = await connect(context, options);
  return { ...connection, named: await findOne(tools.read(connection), reference, tools) };
}

/** The space that is named; by default the one that everybody reaches. */
async function findSpaceFor(connection: ServerConnection, reference?: string): Promise<string> {
  if (reference !== undefined) return (await findSpace(connection, reference)).id;
  const { rpc, wId } = connection;
  const { spaces } = await callServer(rpc.spaces.list.query({ wId, kinds: ["global"] }));
  const [space] = spaces;
  if (space !== undefined) return space.sId;
  throw new CommandError("The workspace has no open space: choose one with --space");
}

function printTool(io: Io, shown: AdministeredTool | ConnectedTool, { json }: ServerOptions): void {
  if (json) return printLine(io, JSON.stringify(shown));
  for (const line of renderTool(shown)) printLine(io, line);
}

/** A line for a tool of a list. */
function renderListed({ tool }: AdministeredTool): string {
  const { sId, name, serverType, server } = tool;
  const count = server.tools.length;
  return `${name} (${sId}): ${serverType}, ${count} ${count === 1 ? "tool" : "tools"}`;
}

/** The lines that show a tool, with its connection if it has one. */
function renderTool(shown: AdministeredTool | ConnectedTool): string[] {
  const { tool, version } = shown;
  const connection = "connection" in shown ? shown.connection : undefined;
  const lines = [`${renderListed(shown)}, version ${version}`, `  space: ${tool.spaceId}`];
  if (tool.description !== "") lines.push(`  description: ${oneLine(tool.description)}`);
  if (connection !== undefined) {
    const { url, headerNames, oauth, fault, timeoutMs, maxConcurrent, refreshedAt } = connection;
    lines.push(`  server: ${url}`);
    if (headerNames.length > 0) lines.push(`  headers: ${headerNames.join(", ")}`);
    if (oauth !== null) lines.push(`  OAuth client: ${oauth.clientId}`);
    lines.push(`  timeout: ${timeoutMs} ms; at most ${maxConcurrent} concurrent`);
    lines.push(`  tools refreshed: ${new Date(refreshedAt).toISOString()}`);
    if (fault !== null) lines.push(`  fault: ${oneLine(fault)}`);
  }
  for (const { name, description } of tool.server.tools) {
    const words = [name];
    if (connection !== undefined) {
      const { stakes, defaultStake, retryableTools } = connection;
      words.push(Object.hasOwn(stakes, name) ? (stakes[name] ?? defaultStake) : defaultStake);
      if (retryableTools.includes(name)) words.push("retryable");
    }
    lines.push(`  - ${words.join(", ")}: ${oneLine(description)}`);
  }
  return lines;
}
