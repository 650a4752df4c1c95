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
    .option("--header <name>", "call with a header; repeatable", collect)
    .option("--oauth-client <id>", "id of a client at the server's own authorization server")
    .option("--oauth-scope <scope>", "scope to ask for")
    .option("--per-user", "each user authorizes the calls at the server's own authorization server")
    .option("--default-stake <stake>", "who approves calls")
    .option("--stake <tool=stake>", "who approves calls of one tool; repeatable", collect)
    .option(
      "--retryable <tool>",
      "tool that may be called again after an interruption; repeatable",
      collect,
    )
    .option("--timeout-ms <ms>", "timeout of a call in milliseconds")
    .option("--max-concurrent <calls>", "maximum number of concurrent calls");

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
The bearer token, the header values and the OAuth client's secret are read from standard input, one per line in this
order, or from prompts. With --per-user, each user authorizes the calls at the server's own authorization server; unless
--oauth-client is given, Parley registers itself there.`;

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
    .description("show a tool and its connection")
    .argument("<tool>", "id or name")
    .action(async (tool, options) => (await load()).getTool(context, tool, options));

const create = (context: Context) =>
  withConnection(withServer(new Command("create")))
    .description("add a remote MCP server")
    .argument("<url>", "URL of the MCP server")
    .option("--space <space>", "id or name of the tool's space; defaults to the open one")
    .option("--name <name>", "name of the tool")
    .option("--description <text>", "what it is for")
    .option("--restricted-to-skills", "only skills can give it to agents")
    .addHelpText("after", secrets)
    .action(async (url, options) => (await load()).createTool(context, url, options));

const refresh = (context: Context) =>
  withServer(new Command("refresh"))
    .description("refresh the list of tools that the server offers")
    .argument("<tool>", "id or name")
    .action(async (tool, options) => (await load()).refreshTool(context, tool, options));

const update = (context: Context) =>
  withConnection(withServer(new Command("update")))
    .description("update how a server is called; unset options keep their value")
    .argument("<tool>", "id or name")
    .option("--server <url>", "URL of the MCP server")
    .addHelpText("after", secrets)
    .action(async (tool, options) => (await load()).updateTool(context, tool, options));

const remove = (context: Context) =>
  actionCommand(context, noun, {
    name: "remove",
    about: "remove a tool, also from the skills that have it",
    did: "removed",
    destroys: ({ name }) => `remove the tool ${name}, also from the skills that have it`,
    call: "tools.remove",
  });

/** Makes the commands about tools. */
export const createToolCommands = (context: Context) =>
  group("tools", "MCP servers that agents can call", [
    list(context),
    get(context),
    create(context),
    refresh(context),
    update(context),
    remove(context),
  ]);
