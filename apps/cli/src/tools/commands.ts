import { Command } from "@commander-js/extra-typings";
import { withServer } from "../connection/server-options.ts";
import { group } from "../group.ts";
import { withConnection } from "./connection-options.ts";

const load = () => import("./call-tools.ts");

const secrets = `
The bearer token, the values of headers and the secret of the OAuth client are read from standard input, a line each
in this order; a terminal is asked for them. With --per-user, each user allows the calls at the server's own
authorization server, where Parley registers itself without --oauth-client.`;

const list = withServer(new Command("list"))
  .description("list the tools of the workspace")
  .action(async (options) => (await load()).listTools(options));

const show = withServer(new Command("show"))
  .description("show a tool, with its connection")
  .argument("<tool>", "id or name")
  .action(async (tool, options) => (await load()).showTool(tool, options));

const register = withConnection(withServer(new Command("register")))
  .description("add a remote MCP server")
  .argument("<url>", "URL of the MCP server")
  .option("--space <id>", "space of the tool; the open one by default")
  .option("--name <name>", "name of the tool")
  .option("--description <text>", "what it is for")
  .option("--restricted-to-skills", "only skills give it to agents")
  .addHelpText("after", secrets)
  .action(async (url, options) => (await load()).registerTool(url, options));

const refresh = withServer(new Command("refresh"))
  .description("ask the server of a tool for its tools again")
  .argument("<tool>", "id or name")
  .action(async (tool, options) => (await load()).refreshTool(tool, options));

const update = withConnection(withServer(new Command("update")))
  .description("change how a server is called, and leave what no option names")
  .argument("<tool>", "id or name")
  .option("--server <url>", "URL of the MCP server")
  .addHelpText("after", secrets)
  .action(async (tool, options) => (await load()).updateTool(tool, options));

const remove = withServer(new Command("remove"))
  .description("remove a tool, from the skills that have it too")
  .argument("<tool>", "id or name")
  .action(async (tool, options) => (await load()).removeTool(tool, options));

/** Makes the commands about tools. */
export const createToolCommands = () =>
  group("tools", "MCP servers that agents call", [list, show, register, refresh, update, remove]);
