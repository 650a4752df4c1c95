import { Command, type OptionValues } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { withServer } from "../connection/server-options.ts";
import { listCommand } from "../grammar/list-command.ts";
import { actionCommand } from "../grammar/one-commands.ts";
import { tools as noun } from "../grammar/nouns.ts";
import type { Context } from "../connection/context.ts";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** Adds the options that say how a server is called. */
const withConnection = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option("--bearer", "call with a bearer token")
    .option("--header <name>", "call with a header; may be repeated", collect)
    .option("--oauth-client <id>", "client of the server's own authorization server")
    .option("--oauth-scope <scope>", "scope to ask for")
    .option("--per-user", "each user allows the calls, at the server's own authorization server")
    .option("--default-stake <stake>", "who approves calls")
    .option("--stake <tool=stake>", "who approves calls of one tool; may be repeated", collect)
    .option("--retryable <tool>", "may be called again after a break; may be repeated", collect)
    .option("--timeout-ms <ms>", "how long a call may take")
    .option("--max-concurrent <calls>", "how many calls may be under way");

/** The values of these options. */
export interface ConnectionOptions {
  readonly bearer?: true | undefined;
  readonly header?: readonly string[] | undefined;
  readonly oauthClient?: string | undefined;
  readonly oauthScope?: string | undefined;
  readonly perUser?: true | undefined;
  readonly defaultStake?: string | undefined;
  readonly stake?: readonly string[] | undefined;
  readonly retryable?: readonly string[] | undefined;
  readonly timeoutMs?: string | undefined;
  readonly maxConcurrent?: string | undefined;
}

const load = () => import("./call-tools.ts");

const secrets = `
The bearer token, the values of headers and the secret of the OAuth client are read from standard input, a line each
in this order; a terminal is asked for them. With --per-user, each user allows the calls at the server's own
authorization server, where Parley registers itself without --oauth-client.`;

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list the tools of the workspace",
    columns: {
      ID: ({ tool }) => tool.sId,
      NAME: ({ tool }) => tool.name,
      TYPE: ({ tool }) => tool.serverType,
      TOOLS: ({ tool }) => tool.server.tools.length,
      VERSION: ({ version }) => version,
      DESCRIPTION: ({ tool }) => tool.description,
    },
  });

const get = (context: Context) =>
  withServer(new Command("get"))
    .description("show a tool, with its connection")
    .argument("<tool>", "id or name")
    .action(async (tool, options) => (await load()).getTool(context, tool, options));

const create = (context: Context) =>
  withConnection(withServer(new Command("create")))
    .description("add a remote MCP server")
    .argument("<url>", "URL of the MCP server")
    .option("--space <space>", "id or name of the tool's space; the open one by default")
    .option("--name <name>", "name of the tool")
    .option("--description <text>", "what it is for")
    .option("--restricted-to-skills", "only skills give it to agents")
    .addHelpText("after", secrets)
    .action(async (url, options) => (await load()).createTool(context, url, options));

const refresh = (context: Context) =>
  withServer(new Command("refresh"))
    .description("ask the server of a tool for its tools again")
    .argument("<tool>", "id or name")
    .action(async (tool, options) => (await load()).refreshTool(context, tool, options));

const update = (context: Context) =>
  withConnection(withServer(new Command("update")))
    .description("change how a server is called, and leave what no option names")
    .argument("<tool>", "id or name")
    .option("--server <url>", "URL of the MCP server")
    .addHelpText("after", secrets)
    .action(async (tool, options) => (await load()).updateTool(context, tool, options));

const remove = (context: Context) =>
  actionCommand(context, noun, {
    name: "remove",
    about: "remove a tool, from the skills that have it too",
    did: "removed",
    destroys: ({ name }) => `removes the tool ${name}, from the skills that have it too`,
    call: "tools.remove",
  });

/** Makes the commands about tools. */
export const createToolCommands = (context: Context) =>
  group("tools", "MCP servers that agents call", [
    list(context),
    get(context),
    create(context),
    refresh(context),
    update(context),
    remove(context),
  ]);
