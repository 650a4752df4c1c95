import { CommandError } from "@parley/command/command-error";
import { printLine, reportLine } from "@parley/command/print";
import type { InvocationEvent } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { renderInvocationEvent } from "./render-functions.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

/** How long the events that there are may take to come, after the first: a stream does not say which is the last. */
const READ_MS = 1000;

/**
 * Prints the events of an invocation, the newest of its function by default, with their times: those so far,
 * or with `--follow` all until its end.
 */
export async function printLogs(
  context: Context,
  { functionId, given }: { readonly functionId: string; readonly given: string | undefined },
  options: ServerOptions & { readonly follow?: true },
): Promise<void> {
  const { io } = context;
  const connection = await connect(context, options);
  const invocationId = given ?? (await findNewest(connection, functionId));
  const write = (event: InvocationEvent): void => {
    const time = new Date(event.created).toISOString();
    printLine(io, options.json ? JSON.stringify(event) : `${time} ${renderInvocationEvent(event)}`);
  };
  const isWhole = await callServer(
    readEvents(connection, { functionId, invocationId, follow: options.follow === true }, write),
  );
  if (!isWhole) reportLine(io, "Still running; --follow prints the rest too");
}

async function findNewest({ parley }: ServerConnection, functionId: string): Promise<string> {
  const { invocations } = await callServer(parley.invocations.list({ functionId, limit: 1 }));
  const [newest] = invocations;
  if (newest !== undefined) return newest.sId;
  throw new CommandError(
    `${functionId} has no invocations yet: run parley functions invoke ${functionId}`,
  );
}

interface Wanted {
  readonly functionId: string;
  readonly invocationId: string;
  readonly follow: boolean;
}

/** Writes the events; returns whether the last of them was. */
async function readEvents(
  { parley }: ServerConnection,
  { follow, ...of }: Wanted,
  write: (event: InvocationEvent) => void,
): Promise<boolean> {
  const leaving = new AbortController();
  const { signal } = leaving;
  let timer: NodeJS.Timeout | undefined;
  try {
    const include = ["log", "progress"] as const;
    for await (const event of parley.invocations.follow({ ...of, include }, { signal })) {
      write(event);
      if (!follow) timer ??= setTimeout(() => leaving.abort(), READ_MS);
    }
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
