import { Command } from "@commander-js/extra-typings";
import { group } from "@parley/command/group";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";
import { FunctionStatus } from "@parley/schema";
import * as z from "zod";
import { functions as noun, readFunctions } from "../grammar/nouns.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn } from "../grammar/noun.ts";
import { actionCommand, createCommand, updateCommand } from "../grammar/one-commands.ts";

const by = "id or slug";

/** Makes the commands that every noun has, but for `get`. */
const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the functions that can be invoked",
    filters: z.object({
      status: FunctionStatus.optional().describe(
        "Only functions in this state; needs a builder's key",
      ),
    }),
    read: (connection, { status }) => readFunctions(connection, status),
    columns: {
      ID: ({ sId }) => sId,
      SLUG: ({ slug }) => slug,
      VERSION: ({ version }) => version,
      "TIMEOUT MS": ({ timeoutMs }) => timeoutMs,
      "AT ONCE": ({ maxConcurrent }) => maxConcurrent,
      DESCRIPTION: ({ description }) => description,
    },
  }),
  createCommand(context, noun, {
    about: "create a function of options or a file; push makes one of a folder",
    argument: "slug",
    call: "sandboxFunctions.create",
  }),
  updateCommand(context, noun, { by, call: "sandboxFunctions.update" }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a function: it can no longer be invoked",
    did: "archived",
    by,
    destroys: ({ name }) => `archives the function ${name}`,
    call: "sandboxFunctions.archive",
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "let an archived function be invoked again",
    did: "restored",
    by,
    find: findIn(noun, (connection) => readFunctions(connection, "archived")),
    call: "sandboxFunctions.restore",
  }),
];

const load = () => import("./call-functions.ts");

const init = (context: Context) =>
  new Command("init")
    .description("write the folder of a small function that works")
    .argument("<folder>", "a new folder, or an empty one")
    .option("--javascript", "in JavaScript, not in TypeScript")
    .action(async (folder, options) =>
      (await import("./function-template.ts")).initFunction(context, folder, options),
    );

const push = (context: Context) =>
  withServer(new Command("push"))
    .description("make the function of the server what a folder is")
    .argument("<folder>", "folder with a function.json")
    .addHelpText(
      "after",
      `
The source is every file but function.json, README, package.json, lockfiles, tsconfig.json, node_modules, tests
(*.test.*, *.spec.*), types (*.d.ts) and names that begin with a dot. Where nothing differs there is no new version.`,
    )
    .action(async (folder, options) =>
      (await import("./push-function.ts")).pushFunction(context, folder, options),
    );

const invoke = (context: Context) =>
  withServer(new Command("invoke"))
    .description("invoke a function: its lines go to standard error, its result to standard output")
    .argument("<function>", "id or slug")
    .option("--input <json>", "input as JSON; - reads standard input")
    .option("--no-wait", "print the id of the invocation, and leave it to the server")
    .addHelpText("after", "\nCtrl-C cancels the invocation.")
    .action(async (name, options) =>
      (await import("./invoke-function.ts")).invokeFunction(context, name, options),
    );

const logs = (context: Context) =>
  withServer(new Command("logs"))
    .description("print the events of an invocation")
    .argument("<function>", "id or slug")
    .argument("[invocation]", "id; the newest by default")
    .option("--follow", "until it ends")
    .action(async (name, invocation, options) =>
      (await import("./function-logs.ts")).printLogs(
        context,
        { functionId: name, given: invocation },
        options,
      ),
    );

const get = (context: Context) =>
  withServer(new Command("get"))
    .description("show a function with what it runs")
    .argument("<function>", "id or slug")
    .action(async (name, options) => (await load()).getFunction(context, name, options));

const putSecret = (context: Context) =>
  withServer(new Command("put"))
    .description("set a secret: its value is read from standard input, or asked for")
    .argument("<name>")
    .action(async (name, options) => (await load()).putSecret(context, name, options));

const listSecrets = (context: Context) =>
  withServer(new Command("list"))
    .description("list the names of secrets")
    .action(async (options) => (await load()).listSecrets(context, options));

const removeSecret = (context: Context) =>
  withServer(new Command("remove"))
    .description("remove a secret")
    .argument("<name>")
    .option("--yes", "do it without asking")
    .action(async (name, options) => (await load()).removeSecret(context, name, options));

const record = (context: Context) =>
  new Command("record")
    .description("print the program of a simulated function that replays past invocations")
    .argument("<file>", "JSON Lines")
    .action(async (file) => (await import("./record-function.ts")).recordFunction(context, file));

/** Makes the commands about functions. */
export const createFunctionCommands = (context: Context) => {
  const secret = group("secret", "secrets that functions use", [
    putSecret(context),
    listSecrets(context),
    removeSecret(context),
  ]);
  const administration = createAdministration(context);
  const all = [
    init(context),
    push(context),
    invoke(context),
    logs(context),
    get(context),
    ...administration,
    secret,
    record(context),
  ];
  return group("functions", "code that agents and applications invoke", all);
};
