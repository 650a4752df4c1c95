import { createParley, createRpcClient, type RpcClient } from "parley-client";
import type * as z from "zod";
import { CommandError } from "../command-error.ts";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import type { Context } from "../context.ts";

/** Requests of a command that may be repeated are repeated this often. */
const MAX_RETRIES = 2;

/**
 * The clients of the server that options, the environment or a profile name, in this order; the client of the
 * public API sends its requests with `send`. Throws `BadConfiguration`, or `CommandError` where none is named.
 */
export async function connect(context: Context, options: ServerOptions, send?: typeof fetch) {
  const { url, apiKey, rpc, workspaceId } = await connectToServer(context, options);
  const wId = workspaceId ?? (await findWorkspace(rpc));
  const parley = createParley({
    baseUrl: url,
    apiKey,
    workspaceId: wId,
    maxRetries: MAX_RETRIES,
    fetch: send,
  });
  return { rpc, parley, wId, url };
}

export type ServerConnection = Awaited<ReturnType<typeof connect>>;

/** The server itself, where no workspace may be named; errors are those of `connect`. */
export async function connectToServer(
  context: Context,
  context,
  options: ServerOptions,
  role?: "operator",
) {
  const server = await findServer(context, options, role);
  return { ...server, rpc: createRpcClient(server) };
}

/** The server as its operators call it: the demo's with its operator key. */
export const connectAsOperator = async (options: ServerOptions) =>
  connectToServer(context, options, "operator");

/** The workspace of the key. Operator keys have none. */
export async function findWorkspace(rpc: RpcClient): Promise<string> {
  const { session } = await callServer(rpc.session.get.query({}));
  if (session.workspace !== null) return session.workspace.sId;
  throw new CommandError("An operator key is of no workspace: name one with --workspace");
}

/** Checks the input of a call. Throws `CommandError`, which names each fault. */
export function check<S extends z.ZodType>(schema: S, input: object): z.output<S> {
  const result = schema.safeParse(input, { error: describeMissing });
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CommandError(faults.join("; "));
}

const describeMissing: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined && ["invalid_type", "invalid_value"].includes(issue.code)
    ? "is required"
    : undefined;
