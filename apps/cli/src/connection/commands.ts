import { Command } from "@commander-js/extra-typings";
import { withServer } from "./server-options.ts";
import type { Context } from "./context.ts";

const login = (context: Context) =>
  new Command("login")
    .description("save a server's key for later commands")
    .option("--url <url>", "URL of the server")
    .option("--workspace <id>", "id of the workspace; defaults to the key's")
    .option("--profile <name>", "profile name; defaults to the server's host")
    .addHelpText(
      "after",
      `
The key is read from standard input or a prompt. It is checked, then saved in your configuration directory in a file
that only you can read.`,
    )
    .action(async (options) => (await import("./login.ts")).login(context, options));

const logout = (context: Context) =>
  new Command("logout")
    .description("forget a profile's key; the server still accepts it")
    .argument("[profile]", "defaults to the current one")
    .action(async (profile) => (await import("./login.ts")).logout(context, profile));

const profiles = (context: Context) =>
  new Command("profiles")
    .description("list the saved profiles, or choose one")
    .option("--use <name>", "switch to this profile")
    .option("--json", "print JSON, without keys")
    .action(async (options) => (await import("./login.ts")).listProfiles(context, options));

const whoami = (context: Context) =>
  withServer(new Command("whoami"))
    .description("show the current server and key")
    .action(async (options) => (await import("./who-am-i.ts")).whoAmI(context, options));

const openConsole = (context: Context) =>
  withServer(new Command("console"))
    .description("open the console in the browser, signed in")
    .addHelpText("after", "\nIt also prints the link, which works once, within ten minutes.")
    .action(async (options) => (await import("./open-console.ts")).openConsole(context, options));

const status = (context: Context) =>
  withServer(new Command("status"))
    .description("show whether the server is ready, and its current load")
    .option("--watch", "refresh every two seconds, until Ctrl-C")
    .action(async (options) => (await import("./status.ts")).showStatus(context, options));

const update = (context: Context) =>
  new Command("update")
    .description("show the newest version and what is new in it; nothing is installed")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nIt asks the registry of your npm configuration, through npm, and only when it is called.",
    )
    .action(async (options) => (await import("./update.ts")).showUpdate(context, options));

/** Makes the commands about which server commands call. */
export const createConnectionCommands = (context: Context) => [
  login(context),
  logout(context),
  profiles(context),
  whoami(context),
  status(context),
  openConsole(context),
  update(context),
];
