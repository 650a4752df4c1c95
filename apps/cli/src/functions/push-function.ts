import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@parley/command/command-error";
import { printLine, reportLine } from "@parley/command/print";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { describeCodeFaults } from "./code-faults.ts";
import { type FunctionFolder, readFunctionFolder } from "./read-function-folder.ts";
import { membersOfFunction, secretsOfProgram, type ShownFunction } from "./function-members.ts";
import { testBeforePush } from "./test-function.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

/** Somebody else may push at the same time; what is read again then is compared again. */
const MAX_ATTEMPTS = 3;
const overtaken: readonly unknown[] = ["version_conflict", "sandbox_function_already_exists"];

type Change = "created" | "updated" | "unchanged";

interface Pushed {
  readonly change: Change;
  readonly sandboxFunction: ShownFunction;
}

/**
 * Makes the function of the server what its folder is: creates it, or gives it a new version if something
 * differs. A case that fails refuses it.
 */
export async function pushFunction(
  context: Context,
  place: string,
  options: ServerOptions & { readonly test: boolean },
): Promise<void> {
  const folder = await readFunctionFolder(place);
  const connection = await connect(context, options);
  if (options.test) await testBeforePush(context, place, folder);
  await pushFolder(connection, folder, options);
}

/** Pushes a folder that was read, and says what became of it. */
export async function pushFolder(
  connection: ServerConnection,
  folder: FunctionFolder,
  options: Pick<ServerOptions, "json">,
): Promise<void> {
  const { io } = connection;
  const { change, sandboxFunction } = await push(connection, folder);
  const invokeUrl = `${connection.url.replace(/\/+$/, "")}/api/w/${connection.wId}/sandbox-functions/${folder.slug}/invocations`;
  if (options.json) printLine(io, JSON.stringify({ change, invokeUrl, sandboxFunction }));
  else {
    const { slug, sId, version } = sandboxFunction;
    printLine(io, `${change}: ${slug} (${sId}), version ${version}`);
    printLine(io, `  invoke: POST ${invokeUrl}`);
  }
  for (const name of await findUnsetSecrets(connection, folder)) {
    reportLine(io, `${name} is not set: run parley functions secret put ${name}`);
  }
}

async function push(connection: ServerConnection, folder: FunctionFolder): Promise<Pushed> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pushOnce(connection, folder);
    } catch (error) {
      if (attempt < MAX_ATTEMPTS && overtaken.includes(errorTypeOf(error))) continue;
      throw describeCodeFaults(error, folder.files) ?? error;
    }
  }
}

async function pushOnce(
  { rpc, wId }: ServerConnection,
  { slug, definition }: FunctionFolder,
): Promise<Pushed> {
  const reading = callServer(rpc.sandboxFunctions.get.query({ wId, functionId: slug }));
  const found = await reading.catch((error: unknown) => {
    if (errorTypeOf(error) === "sandbox_function_not_found") return undefined;
    throw error;
  });
  if (found === undefined) {
    const creating = rpc.sandboxFunctions.create.mutate({ wId, slug, ...definition });
    return { change: "created", ...(await callServer(creating)) };
  }
  const { sandboxFunction: before } = found;
  if (before.status === "archived") {
    throw new CommandError(
      `The function ${slug} is archived: restore it with parley functions restore ${slug}, or choose another slug`,
    );
  }
  if (isDeepStrictEqual(membersOfFunction(before), membersOfFunction(definition))) {
    return { change: "unchanged", sandboxFunction: before };
  }
  const { sId: functionId, version } = before;
  const updating = rpc.sandboxFunctions.update.mutate({ wId, functionId, version, ...definition });
  return { change: "updated", ...(await callServer(updating)) };
}

/** The secrets that a function names and its workspace lacks. */
async function findUnsetSecrets(
  { rpc, wId }: ServerConnection,
  { definition }: FunctionFolder,
): Promise<string[]> {
  const secrets = secretsOfProgram(definition.program);
  if (secrets.length === 0) return [];
  const { functionSecrets } = await callServer(rpc.functionSecrets.list.query({ wId }));
  const set = new Set(functionSecrets.map(({ name }) => name));
  return secrets.filter((name) => !set.has(name));
}
