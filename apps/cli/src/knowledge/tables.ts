import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { withServer } from "../connection/server-options.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { shortTime } from "../terminal/short-time.ts";
import { readTables } from "./read-tables.ts";

const noun = nounOf("tables.list", {
  many: "knowledge tables",
  one: "table",
  open: connect,
  idOf: ({ table_id }) => table_id,
  nameOf: ({ title }) => title,
});

const about = `
The first line of a file has the names of its columns. Each file is a table, whose id is the name of the file without
.csv; it replaces the rows of the table with that id.`;

const pushing = (context: Context) =>
  withServer(new Command("push"))
    .description("upload CSV files as tables")
    .argument("<file...>", "CSV files")
    .requiredOption("--source <data-source>", "data source, by id or name")
    .option("--id <id>", "id of the table, for a single file")
    .option("--title <title>", "title of the table, for a single file")
    .option("--description <text>", "what the rows are, for agents")
    .option("--tag <tag...>", "tags of the tables")
    .option("--append", "add the rows to those of the table")
    .addHelpText("after", about)
    .action(async (files, options) =>
      (await import("./push-tables.ts")).pushTables(context, files, options),
    );

const listing = (context: Context) =>
  listCommand(context, noun, {
    about: "list the tables of a data source",
    of: "data-source",
    by: "id or name",
    read: (connection: ServerConnection, _filters: object, of: string) =>
      readTables(connection, of),
    columns: {
      ID: ({ table_id }) => table_id,
      TITLE: ({ title }) => title,
      ROWS: ({ row_count }) => row_count,
      BYTES: ({ size }) => size,
      UPDATED: ({ timestamp }) => shortTime(timestamp),
      COLUMNS: ({ schema }) => schema.map(({ name }) => name).join(", "),
    },
  });

const showing = (context: Context) =>
  withServer(new Command("get"))
    .description("show the columns of a table and its first rows")
    .argument("<data-source>", "id or name")
    .argument("<table>", "id of the table")
    .option("--limit <rows>", "rows to show, 1 to 100", "10")
    .action(async (dataSource, table, options) =>
      (await import("./show-table.ts")).showTable(context, { dataSource, table }, options),
    );

const removing = (context: Context) =>
  withServer(new Command("remove"))
    .description("delete a table with its rows")
    .argument("<data-source>", "id or name")
    .argument("<table>", "id of the table")
    .option("--yes", "skip the confirmation")
    .action(async (dataSource, table, options) =>
      (await import("./remove-table.ts")).removeTable(context, { dataSource, table }, options),
    );

/** Makes the commands about the tables of data sources. */
export const createTableCommands = (context: Context) =>
  group("tables", "tables of data sources, which agents query", [
    pushing(context),
    listing(context),
    showing(context),
    removing(context),
  ]);
