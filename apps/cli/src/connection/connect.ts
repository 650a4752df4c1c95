import { createParley, createRpcClient } from "parley-client";
import type * as z from "zod";
import { CommandError } from "../command-error.ts";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";

/** Requests of a command that may be repeated are repeated this often. */
const MAX_RETRIES = 2;

/**
 * The clients of the server that options, the environment or a profile name, in this order. Throws
 * `BadConfiguration`, or `CommandError` where none is named.
 */
export async function connect(options: ServerOptions) {
  const { url, apiKey, workspaceId } = await findServer(options);
  const rpc = createRpcClient({ url, apiKey });
  const wId = workspaceId ?? (await findWorkspace(rpc));
  const parley = createParley({
    baseUrl: url,
    apiKey,
    workspaceId: wId,
    maxRetries: MAX_RETRIES,
  });
  return { rpc, parley, wId, url };
}

export type ServerConnection = Awaited<ReturnType<typeof connect>>;

/** The workspace of the key. Operator keys have none. */
async function findWorkspace(rpc: ReturnType<typeof createRpcClient>): Promise<string> {
  const { session } = await callServer(rpc.session.get.query({}));
  if (session.workspace !== null) return session.workspace.sId;
  throw new CommandError("An operator key is of no workspace: name one with --workspace");
}

/** Checks the input of a call. Throws `CommandError`, which names the first fault. */
export function check<S extends z.ZodType>(schema: S, input: object): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new CommandError(`${issue?.path.join(".")}: ${issue?.message}`);
}
