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
import { createFunctionVersionCommands, createRollback } from "./function-versions.ts";

const by = "id or slug";

/** Makes the commands that every noun has, but for `get`. */
const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the functions that can be invoked",
    filters: z.object({
      status: FunctionStatus.optional().describe(
        "Only functions with this status; needs a builder's key",
      ),
    }),
    read: (connection, { status }) => readFunctions(connection, status),
    columns: {
      ID: ({ sId }) => sId,
      SLUG: ({ slug }) => slug,
      VERSION: ({ version }) => version,
      "TIMEOUT MS": ({ timeoutMs }) => timeoutMs,
      "MAX CONCURRENT": ({ maxConcurrent }) => maxConcurrent,
      DESCRIPTION: ({ description }) => description,
    },
  }),
  createCommand(context, noun, {
    about: "create a function from options or a file; push creates one from a folder",
    argument: "slug",
    call: "sandboxFunctions.create",
  }),
  updateCommand(context, noun, { by, call: "sandboxFunctions.update" }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a function, so that it can no longer be invoked",
    did: "archived",
    by,
    destroys: ({ name }) => `archive the function ${name}`,
    call: "sandboxFunctions.archive",
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "restore an archived function",
    did: "restored",
    by,
    find: findIn(noun, (connection) => readFunctions(connection, "archived")),
    call: "sandboxFunctions.restore",
  }),
];

const load = () => import("./call-functions.ts");

const init = (context: Context) =>
  new Command("init")
    .description("scaffold a new function")
    .argument("<folder>", "a new or empty folder")
    .option("--javascript", "JavaScript instead of TypeScript")
    .action(async (folder, options) =>
      (await import("./function-template.ts")).initFunction(context, folder, options),
    );

const push = (context: Context) =>
  withServer(new Command("push"))
    .description("deploy a function from a folder, replacing its current version")
    .argument("<folder>", "folder with a function.json")
    .option("--no-test", "push even if a case fails")
    .addHelpText(
      "after",
      `
The source is every file but function.json, README, package.json, lockfiles, tsconfig.json, node_modules, tests
(*.test.*, *.spec.*, *.case.json), types (*.d.ts) and names that begin with a dot. The files of installed npm packages that
it imports are sent too, with package.json. Its cases are run first. If nothing differs, no new version is created.`,
    )
    .action(async (folder, options) =>
      (await import("./push-function.ts")).pushFunction(context, folder, options),
    );

const test = (context: Context) =>
  new Command("test")
    .description("run the cases of a function here, without a server")
    .argument("[folder]", "folder with a function.json", ".")
    .option("--record", "ask real servers for the cases without fetches, and keep their answers")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
A case is a file such as hello.case.json: {"input": …, "result": …}, or "error": {"code": …}, and as "fetches" the
answers that the code gets in place of the network. With --record secrets are environment variables.`,
    )
    .action(async (folder, options) =>
      (await import("./test-function.ts")).testFunction(context, folder, options),
    );

const dev = (context: Context) =>
  withServer(new Command("dev"))
    .description("run a function here after each change, until Ctrl-C")
    .argument("[folder]", "folder with a function.json", ".")
    .option("--input <file>", "JSON file with an input that is run after the cases")
    .option("--push", "deploy it each time that all cases pass")
    .addHelpText(
      "after",
      `
It writes the types of the schemas to schema.d.ts if the code imports them, and runs the cases with their recorded
fetches. The input of --input is run with the network; secrets are environment variables.`,
    )
    .action(async (folder, options) =>
      (await import("./develop-function.ts")).developFunction(context, folder, options),
    );

const invoke = (context: Context) =>
  withServer(new Command("invoke"))
    .description("invoke a function; logs go to standard error, the result to standard output")
    .argument("<function>", "id or slug")
    .option("--input <json>", "input as JSON; - reads standard input")
    .option("--no-wait", "print the invocation's id and do not wait for the result")
    .addHelpText("after", "\nCtrl-C cancels the invocation.")
    .action(async (name, options) =>
      (await import("./invoke-function.ts")).invokeFunction(context, name, options),
    );

const logs = (context: Context) =>
  withServer(new Command("logs"))
    .description("print an invocation's events")
    .argument("<function>", "id or slug")
    .argument("[invocation]", "id; defaults to the newest")
    .option("--follow", "follow until it ends")
    .action(async (name, invocation, options) =>
      (await import("./function-logs.ts")).printLogs(
        context,
        { functionId: name, given: invocation },
        options,
      ),
    );

const get = (context: Context) =>
  withServer(new Command("get"))
    .description("show a function and its program")
    .argument("<function>", "id or slug")
    .action(async (name, options) => (await load()).getFunction(context, name, options));

const putSecret = (context: Context) =>
  withServer(new Command("put"))
    .description("set a secret; the value is read from standard input or a prompt")
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
    .option("--yes", "skip the confirmation")
    .action(async (name, options) => (await load()).removeSecret(context, name, options));

const record = (context: Context) =>
  new Command("record")
    .description("print a simulated program that replays past invocations")
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
    test(context),
    dev(context),
    push(context),
    invoke(context),
    logs(context),
    get(context),
    ...administration,
    createFunctionVersionCommands(context),
    createRollback(context),
    secret,
    record(context),
  ];
  return group("functions", "code that agents and applications can invoke", all);
};
