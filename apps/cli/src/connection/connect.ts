import { CommandError } from "@parley/command/command-error";
import type { RpcClient } from "parley-client";
import type * as z from "zod";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import type { Context } from "./context.ts";

/**
 * The clients of the server that options, the environment or a profile name, in this order, and the streams of the
 * command; the client of the public API sends its requests with `send`. Throws `BadConfiguration`, or `CommandError`
 * if none is named.
 */
export async function connect(context: Context, options: ServerOptions, send?: typeof fetch) {
  const { io, url, rpc, openParley, workspaceId } = await connectToServer(context, options);
  const wId = workspaceId ?? (await findWorkspace(rpc));
  return { io, rpc, parley: openParley(wId, send), wId, url };
}

export type ServerConnection = Awaited<ReturnType<typeof connect>>;

/** The server itself, if no workspace may be named; errors are those of `connect`. */
export async function connectToServer(context: Context, options: ServerOptions, role?: "operator") {
  const server = await findServer(context, options, role);
  return { ...server, ...context.connect(server), io: context.io };
}

/** The server as its operators call it: the demo's with its operator key. */
export const connectAsOperator = async (context: Context, options: ServerOptions) =>
  connectToServer(context, options, "operator");

/** The workspace of the key. Operator keys have none. */
export async function findWorkspace(rpc: RpcClient): Promise<string> {
  const { session } = await callServer(rpc.session.get.query({}));
  if (session.workspace !== null) return session.workspace.sId;
  throw new CommandError(
    "An operator key does not belong to a workspace: choose one with --workspace",
  );
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
