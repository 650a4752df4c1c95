import { printLine } from "@parley/command/print";
import { FunctionSecretIdentity, PutFunctionSecret } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { check, connect } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { readSecrets } from "../connection/read-secrets.ts";
import { confirm } from "../terminal/confirm.ts";
import { renderFunction } from "./render-functions.ts";
import type { Context } from "../connection/context.ts";

/** Shows a function with what it runs. */
export async function getFunction(
  context: Context,
  functionId: string,
  options: ServerOptions,
): Promise<void> {
  const { io, rpc, wId } = await connect(context, options);
  const shown = await callServer(rpc.sandboxFunctions.get.query({ wId, functionId }));
  if (options.json) return printLine(io, JSON.stringify(shown));
  for (const line of renderFunction(shown.sandboxFunction)) printLine(io, line);
}

/** Sets a secret of the workspace, which is read from standard input or asked for. */
export async function putSecret(
  context: Context,
  name: string,
  options: ServerOptions,
): Promise<void> {
  const { io, rpc, wId } = await connect(context, options);
  check(FunctionSecretIdentity, { wId, name });
  // Before a person is asked for it, the server and the key are known to be good.
  await callServer(rpc.functionSecrets.list.query({ wId }));
  const [value] = await readSecrets(io, [`the value of ${name}`]);
  const input = check(PutFunctionSecret, { wId, name, value });
  const put = await callServer(rpc.functionSecrets.put.mutate(input));
  printLine(io, options.json ? JSON.stringify(put) : `set: ${name}`);
}

/** Lists the names of the workspace's secrets. */
export async function listSecrets(context: Context, options: ServerOptions): Promise<void> {
  const { io, rpc, wId } = await connect(context, options);
  const listed = await callServer(rpc.functionSecrets.list.query({ wId }));
  if (options.json) return printLine(io, JSON.stringify(listed));
  for (const { name, updatedAt } of listed.functionSecrets) {
    printLine(io, `${name}: set ${new Date(updatedAt).toISOString()}`);
  }
}

/** Removes a secret of the workspace. */
export async function removeSecret(
  context: Context,
  name: string,
  options: ServerOptions & { readonly yes?: true },
): Promise<void> {
  const { io, rpc, wId } = await connect(context, options);
  await confirm(io, { what: `remove the secret ${name}`, typed: name, yes: options.yes });
  const removed = await callServer(rpc.functionSecrets.remove.mutate({ wId, name }));
  printLine(io, options.json ? JSON.stringify(removed) : `removed: ${name}`);
}
