import { parseArgs } from "node:util";
import { FunctionSecretIdentity, PutFunctionSecret, type SandboxFunction } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";
import { printLogs } from "./function-logs.ts";
import { initFunction } from "./init-function.ts";
import { invokeFunction } from "./invoke-function.ts";
import { pushFunction } from "./push-function.ts";
import { readSecrets } from "../connection/read-secrets.ts";
import { renderFunction, renderListedFunction } from "./render-functions.ts";
import {
  check,
  connect,
  onlyOne,
  type ServerCommand,
  type ServerConnection,
  serverOptions,
} from "../connection/server-command.ts";

/** Lists the functions that can be invoked. */
const list: ServerCommand = async (args, print) => {
  const { values } = parseArgs({ args: [...args], options: serverOptions });
  const sandboxFunctions = await Array.fromAsync(readAll(connect(values)));
  if (values.json) return print(JSON.stringify({ sandboxFunctions }));
  for (const one of sandboxFunctions) print(renderListedFunction(one));
};

async function* readAll({ rpc, wId }: ServerConnection): AsyncGenerator<SandboxFunction> {
  for (let lastValue: string | undefined, hasMore = true; hasMore;) {
    const place = lastValue === undefined ? {} : { lastValue };
    const page = await callServer(rpc.sandboxFunctions.list.query({ wId, ...place }));
    yield* page.sandboxFunctions;
    lastValue = page.lastValue ?? undefined;
    ({ hasMore } = page);
  }
}

/** Shows a function with what it runs. */
const show: ServerCommand = async (args, print) => {
  const { values, name: functionId } = parseOne(args, "functions show takes one function");
  const { rpc, wId } = connect(values);
  const shown = await callServer(rpc.sandboxFunctions.get.query({ wId, functionId }));
  if (values.json) return print(JSON.stringify(shown));
  for (const line of renderFunction(shown.sandboxFunction)) print(line);
};

/** Sets a secret of the workspace, which is read from standard input or asked for. */
const putSecret: ServerCommand = async (args, print) => {
  const { values, name } = parseOne(args, "functions secret put takes one name");
  const { rpc, wId } = connect(values);
  check(FunctionSecretIdentity, { wId, name });
  // Before a person is asked for it, the server and the key are known to be good.
  await callServer(rpc.functionSecrets.list.query({ wId }));
  const [value] = await readSecrets([`the value of ${name}`]);
  const input = check(PutFunctionSecret, { wId, name, value });
  const put = await callServer(rpc.functionSecrets.put.mutate(input));
  print(values.json ? JSON.stringify(put) : `set: ${name}`);
};

/** Lists the names of the workspace's secrets. */
const listSecrets: ServerCommand = async (args, print) => {
  const { values } = parseArgs({ args: [...args], options: serverOptions });
  const { rpc, wId } = connect(values);
  const listed = await callServer(rpc.functionSecrets.list.query({ wId }));
  if (values.json) return print(JSON.stringify(listed));
  for (const { name, updatedAt } of listed.functionSecrets) {
    print(`${name}: set ${new Date(updatedAt).toISOString()}`);
  }
};

/** Removes a secret of the workspace. */
const removeSecret: ServerCommand = async (args, print) => {
  const { values, name } = parseOne(args, "functions secret remove takes one name");
  const { rpc, wId } = connect(values);
  const removed = await callServer(rpc.functionSecrets.remove.mutate({ wId, name }));
  print(values.json ? JSON.stringify(removed) : `removed: ${name}`);
};

const secretCommands = { put: putSecret, list: listSecrets, remove: removeSecret } as const;

const secret: ServerCommand = async ([word = "", ...args], print) => {
  if (!Object.hasOwn(secretCommands, word)) {
    throw new CommandError(`Unknown command: functions secret ${word}; see parley --help`);
  }
  await secretCommands[word as keyof typeof secretCommands](args, print);
};

/** The commands about functions, by their second word. */
export const functionCommands = {
  init: initFunction,
  push: pushFunction,
  invoke: invokeFunction,
  logs: printLogs,
  list,
  show,
  secret,
} as const;

function parseOne(args: readonly string[], wanted: string) {
  const parsed = parseArgs({ args: [...args], allowPositionals: true, options: serverOptions });
  return { values: parsed.values, name: onlyOne(parsed.positionals, wanted) };
}
