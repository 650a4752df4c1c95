import { Command } from "@commander-js/extra-typings";
import { withServer } from "./server-options.ts";
import type { Context } from "./context.ts";

const login = (context: Context) =>
  new Command("login")
    .description("save the key of a server, for later commands")
    .option("--url <url>", "URL of the server")
    .option("--workspace <id>", "id of the workspace; by default that of the key")
    .option("--profile <name>", "name to save it under; by default the host of the server")
    .addHelpText(
      "after",
      `
The key is read from standard input; a terminal is asked for it. It is tried before it is saved, in the user's
configuration directory, where only the user may read it.`,
    )
    .action(async (options) => (await import("./login.ts")).login(context, options));

const logout = (context: Context) =>
  new Command("logout")
    .description("forget the key of a profile; it stays valid at the server")
    .argument("[profile]", "the current one by default")
    .action(async (profile) => (await import("./login.ts")).logout(context, profile));

const profiles = (context: Context) =>
  new Command("profiles")
    .description("list the profiles that were saved, or choose one")
    .option("--use <name>", "make it the current one")
    .option("--json", "as JSON, without keys")
    .action(async (options) => (await import("./login.ts")).listProfiles(context, options));

const whoami = (context: Context) =>
  withServer(new Command("whoami"))
    .description("say which server commands call, with which key")
    .action(async (options) => (await import("./who-am-i.ts")).whoAmI(context, options));

const openConsole = (context: Context) =>
  withServer(new Command("console"))
    .description("open the page of a server in the browser, signed in")
    .addHelpText("after", "\nIt prints the link, which is valid once and for ten minutes.")
    .action(async (options) => (await import("./open-console.ts")).openConsole(context, options));

const status = (context: Context) =>
  withServer(new Command("status"))
    .description("say whether a server is ready, and what happens there")
    .option("--watch", "again every two seconds, until Ctrl-C")
    .action(async (options) => (await import("./status.ts")).showStatus(context, options));

/** Makes the commands about which server commands call. */
export const createConnectionCommands = (context: Context) => [
  login(context),
  logout(context),
  profiles(context),
  whoami(context),
  status(context),
  openConsole(context),
];
