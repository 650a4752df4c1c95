import { Command } from "@commander-js/extra-typings";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

const apply = (context: Context) =>
  withServer(new Command("apply"))
    .description("apply a folder to a workspace, after showing a plan")
    .argument("<folder>", "folder with a parley.yaml, such as parley pull creates")
    .option("--dry-run", "show the plan and change nothing")
    .option("--check", "like --dry-run, and exit with 1 if something would change")
    .option(
      "--prune",
      "archive agents, skills and functions, and remove tools, schedules, triggers and webhooks, that the folder does not declare",
    )
    .option(
      "--secrets <file>",
      "file of NAME=value lines with the tools' secrets; - reads standard input",
    )
    .option("--renew-secrets", "send the tools' secrets again, even if nothing else differs")
    .option("--no-test", "apply functions even if one of their cases fails")
    .option("--yes", "skip the confirmation")
    .addHelpText(
      "after",
      `
Agents, skills, functions, tools, schedules and triggers are matched by name, webhooks by URL. Without a terminal, changes
need --yes. The cases of functions that change are run first.`,
    )
    .action(async (folder, options) =>
      (await import("./apply.ts")).applyFolder(context, folder, options),
    );

const pull = (context: Context) =>
  withServer(new Command("pull"))
    .description("save a workspace as a folder of declarations")
    .argument("<folder>")
    .option("--force", "also write into a folder that has other files")
    .option("--yes", "overwrite and remove files without asking")
    .action(async (folder, options) =>
      (await import("./pull.ts")).pullFolder(context, folder, options),
    );

/** Makes the commands about workspaces that are declared in folders. */
export const createWorkspaceFolderCommands = (context: Context) => [apply(context), pull(context)];
