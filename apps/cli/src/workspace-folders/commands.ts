import { Command } from "@commander-js/extra-typings";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

const apply = (context: Context) =>
  withServer(new Command("apply"))
    .description("make a workspace what a folder declares, after showing what changes")
    .argument("<folder>", "folder with a parley.yaml, as parley pull writes one")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--check", "as --dry-run, and exit with 1 where something would change")
    .option(
      "--prune",
      "archive agents, skills and functions, and remove tools, that the folder lacks",
    )
    .option("--secrets <file>", "lines NAME=value for secrets of tools; - reads standard input")
    .option("--renew-secrets", "send the secrets of tools again, where nothing else differs too")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      `
Things are known by their names. Without a terminal, changes need --yes.`,
    )
    .action(async (folder, options) =>
      (await import("./apply.ts")).applyFolder(context, folder, options),
    );

const pull = (context: Context) =>
  withServer(new Command("pull"))
    .description("write a folder that declares what a workspace has")
    .argument("<folder>")
    .option("--force", "write into a folder that has other files")
    .option("--yes", "do not ask before files are overwritten or removed")
    .action(async (folder, options) =>
      (await import("./pull.ts")).pullFolder(context, folder, options),
    );

/** Makes the commands about workspaces that are declared in folders. */
export const createWorkspaceFolderCommands = (context: Context) => [apply(context), pull(context)];
