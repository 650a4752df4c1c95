import { Argument, Command, Option } from "@commander-js/extra-typings";
import type { CommandContext } from "@parley/command/context";
import { group } from "@parley/command/group";
import { printLine } from "@parley/command/print";
import { renderSettings } from "@parley/command/settings";
import { describeSettings, readServerSettings } from "./config.ts";
import { administration } from "./administration/administration.ts";

const settings = () => `\nEnvironment:\n${renderSettings(describeSettings())}`;

const demo = ["--demo", "create the demo workspace with DATABASE_URL too"] as const;

const serve = (context: CommandContext) =>
  new Command("serve")
    .description("serve the API and run agents and functions, in one process")
    .option(...demo)
    // For `start` of the workspace: an installed server contains its console.
    .addOption(new Option("--build-console").hideHelp())
    .addHelpText(
      "after",
      `
Without DATABASE_URL it starts a PostgreSQL in PARLEY_DATA_DIR. api and worker do one half each, in any number of
processes on one PostgreSQL; Redis carries hints between them.`,
    )
    .addHelpText("after", settings)
    .action(async (options) =>
      (await import("./serving/run-server.ts")).runServer(
        context,
        { api: true, worker: true },
        options,
      ),
    );

const api = (context: CommandContext) =>
  new Command("api")
    .description("serve the API only")
    .option(...demo)
    .addHelpText("after", settings)
    .action(async (options) =>
      (await import("./serving/run-server.ts")).runServer(
        context,
        { api: true, worker: false },
        options,
      ),
    );

const worker = (context: CommandContext) =>
  new Command("worker")
    .description("run agents and functions only")
    .option(...demo)
    .addHelpText("after", settings)
    .action(async (options) =>
      (await import("./serving/run-server.ts")).runServer(
        context,
        { api: false, worker: true },
        options,
      ),
    );

const migrate = (context: CommandContext) =>
  new Command("migrate")
    .description("bring the tables of the database up to date, as each start does")
    .action(async () =>
      (await import("./administration/administer.ts")).migrate(await administration(context)),
    );

/** Makes the command that creates the first operator key. */
export const createBootstrapCommand = (context: CommandContext) => bootstrap(context);

const bootstrap = (context: CommandContext) =>
  new Command("bootstrap")
    .description("on the server's machine: create the first operator key, and print it")
    .option("--replace", "revoke every operator key first, for when all of them are lost")
    .action(async (options) =>
      (await import("./administration/administer.ts")).bootstrapKeys(
        await administration(context),
        options,
      ),
    );

const databaseUrl = (context: CommandContext) =>
  new Command("url")
    .description(
      "print the URL of the database for psql; of the embedded one while parley serve runs",
    )
    .action(async () =>
      printLine(
        context.io,
        await (
          await import("./administration/database-url.ts")
        ).describeDatabaseUrl(readServerSettings(context.io)),
      ),
    );

const exporting = (context: CommandContext) =>
  new Command("export")
    .description("write the whole database, with keys and secrets")
    .addArgument(new Argument("[file]", "a new file; standard output by default"))
    .addHelpText("after", "\nNo server may run on an embedded database meanwhile.")
    .action(async (file) =>
      (await import("./administration/transfer.ts")).exportAll(await administration(context), file),
    );

const importing = (context: CommandContext) =>
  new Command("import")
    .description("write an export into an empty database")
    .addArgument(new Argument("[file]", "an export; standard input by default"))
    .addHelpText("after", "\nNo server may run on an embedded database meanwhile.")
    .action(async (file) =>
      (await import("./administration/transfer.ts")).importAll(await administration(context), file),
    );

/** Makes the commands that open the database, on the machine of a server. */
export const createServerCommands = (context: CommandContext) => [
  serve(context),
  api(context),
  worker(context),
  migrate(context),
  exporting(context),
  importing(context),
  group("database", "the database of a server", [databaseUrl(context)]),
];

export { settingNames } from "./config.ts";
export { createDoctorCommand } from "./doctor/commands.ts";
