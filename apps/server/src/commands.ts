import { Argument, Command, Option } from "@commander-js/extra-typings";
import type { CommandContext } from "@parley/command/context";
import { group } from "@parley/command/group";
import { printLine } from "@parley/command/print";
import { renderSettings } from "@parley/command/settings";
import { describeSettings, readServerSettings } from "./config.ts";
import { administration } from "./administration/administration.ts";

const settings = () => `\nEnvironment:\n${renderSettings(describeSettings())}`;

const demo = ["--demo", "create the demo workspace, even with DATABASE_URL"] as const;

const serve = (context: CommandContext) =>
  new Command("serve")
    .description("run a whole server in one process: the API, agents and functions")
    .option(...demo)
    // For `start` of the workspace: an installed server contains its console.
    .addOption(new Option("--build-console").hideHelp())
    .addHelpText(
      "after",
      `
Without DATABASE_URL it starts an embedded PostgreSQL in PARLEY_DATA_DIR. To use several processes, run api and worker
instead, as many as you like, on one PostgreSQL; Redis carries hints between them.`,
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
    .description("run only the API")
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
    .description("run only agents and functions")
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
    .description("update the database's tables, as every start does")
    .action(async () =>
      (await import("./administration/administer.ts")).migrate(await administration(context)),
    );

/** Makes the command that creates the first operator key. */
export const createBootstrapCommand = (context: CommandContext) => bootstrap(context);

const bootstrap = (context: CommandContext) =>
  new Command("bootstrap")
    .description("create the first operator key and print it")
    .option("--replace", "first revoke every operator key, if all of them are lost")
    .action(async (options) =>
      (await import("./administration/administer.ts")).bootstrapKeys(
        await administration(context),
        options,
      ),
    );

const databaseUrl = (context: CommandContext) =>
  new Command("url")
    .description("print the database's URL for psql; the embedded one needs a running parley serve")
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
    .description("export the whole database, with keys and secrets")
    .addArgument(new Argument("[file]", "a new file; defaults to standard output"))
    .addHelpText("after", "\nStop the server first if the database is embedded.")
    .action(async (file) =>
      (await import("./administration/transfer.ts")).exportAll(await administration(context), file),
    );

const importing = (context: CommandContext) =>
  new Command("import")
    .description("import an export into an empty database")
    .addArgument(new Argument("[file]", "an export; defaults to standard input"))
    .addHelpText("after", "\nStop the server first if the database is embedded.")
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
