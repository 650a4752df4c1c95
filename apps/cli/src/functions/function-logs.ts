import process from "node:process";
import { parseArgs } from "node:util";
import type { InvocationEvent } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";
import { renderInvocationEvent } from "./render-functions.ts";
import {
  connect,
  type ServerCommand,
  type ServerConnection,
  serverOptions,
} from "../connection/server-command.ts";

/** How long the events that there are may take to come, after the first: a stream does not say which is the last. */
const READ_MS = 1000;

/**
 * Prints the events of an invocation, the newest of its function by default, with their times: those so far,
 * or with `--follow` all until its end.
 */
export const printLogs: ServerCommand = async (args, print) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...serverOptions, follow: { type: "boolean" } },
  });
  const [functionId, given, ...others] = positionals;
  if (functionId === undefined || others.length > 0) {
    throw new CommandError("functions logs takes a function and an invocation; see parley --help");
  }
  const connection = connect(values);
  const invocationId = given ?? (await findNewest(connection, functionId));
  const write = (event: InvocationEvent): void => {
    const time = new Date(event.created).toISOString();
    print(values.json ? JSON.stringify(event) : `${time} ${renderInvocationEvent(event)}`);
  };
  const isWhole = await callServer(
    readEvents(connection, { functionId, invocationId, follow: values.follow === true }, write),
  );
  if (!isWhole) process.stderr.write("It has not ended: --follow prints the rest too\n");
};

async function findNewest({ parley }: ServerConnection, functionId: string): Promise<string> {
  const { invocations } = await callServer(parley.invocations.list({ functionId, limit: 1 }));
  const [newest] = invocations;
  if (newest !== undefined) return newest.sId;
  throw new CommandError(`${functionId} has no invocation: parley functions invoke ${functionId}`);
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
