import { setTimeout as pause } from "node:timers/promises";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import type { ListedRun } from "@parley/schema";
import { callServer, mayPass } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { reportBreaks } from "../connection/report-breaks.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { nounCommand } from "../grammar/noun.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";
import { Duration, secondsOf } from "../terminal/duration.ts";

/** How often what has ended is read. */
const LOOK_MS = 2000;
/** How far back it is read again: an end is seen once its transaction has committed. */
const AGAIN_MS = 60_000;
/** Runs that are printed at once. */
const MAX_AT_ONCE = 10_000;

interface TailOptions extends ServerOptions {
  readonly since?: string;
}

const filters = inputOf("runs.list", ["endedFrom", "endedTo", "from", "to", "limit", "lastValue"]);
const schema = filters.extend({
  since: Duration.optional().describe(
    "How far back to begin, such as 15m or 2h; runs that end from now on by default",
  ),
});

/** Makes `tail`: a line for each run as it ends, until Ctrl-C. */
export function tailCommand(context: Context) {
  const command = nounCommand("tail", "print each run as it ends, until Ctrl-C");
  const read = withInput(command, { schema, isFilter: true });
  return command.action(async (options: TailOptions) => {
    const { since: _since, ...chosen } = checkInput(schema, await read(context.io, { ...options }));
    const connection = await connect(context, options);
    const stopping = new AbortController();
    for (const name of ["SIGINT", "SIGTERM"] as const) {
      context.io.signal.once(name, () => stopping.abort());
    }
    await tail(connection, { chosen, options, signal: stopping.signal });
  });
}

interface Tailing {
  readonly chosen: object;
  readonly options: TailOptions;
  readonly signal: AbortSignal;
}

async function tail(
  connection: ServerConnection,
  { chosen, options, signal }: Tailing,
): Promise<void> {
  const { io } = connection;
  const report = reportBreaks((line) => reportLine(io, line));
  const { since } = options;
  const begin =
    since === undefined ? await afterNewest(connection) : Date.now() - secondsOf(since) * 1000;
  let from = begin;
  const seen = new Map<string, number>();
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const ended = await readEnded(connection, { ...chosen, endedFrom: from });
      report({ status: "open" });
      isFirst = false;
      for (const run of ended.toReversed()) {
        if (seen.has(run.id)) continue;
        seen.set(run.id, run.endedAt ?? 0);
        printLine(io, options.json ? JSON.stringify(run) : describe(run));
      }
      from = Math.max(from, (ended[0]?.endedAt ?? 0) - AGAIN_MS);
      for (const [id, endedAt] of seen) if (endedAt < from) seen.delete(id);
    } catch (error) {
      // Only a server that was there is waited for.
      if (isFirst || !mayPass(error)) throw error;
      report({ status: "waiting", error });
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** The moment after the newest end, by the server's clock. Throws `CommandError`. */
async function afterNewest({ rpc, wId }: ServerConnection): Promise<number> {
  const { runs } = await callServer(rpc.runs.list.query({ wId, endedFrom: 0, limit: 1 }));
  return (runs[0]?.endedAt ?? 0) + 1;
}

/** The runs that have ended since, the last one first. */
async function readEnded(connection: ServerConnection, chosen: object): Promise<ListedRun[]> {
  const ended: ListedRun[] = [];
  for await (const run of readListed(connection, "runs.list", chosen)) {
    if (ended.push(run) < MAX_AT_ONCE) continue;
    reportLine(
      connection.io,
      `more than ${MAX_AT_ONCE} runs have ended: the older ones are left out`,
    );
    break;
  }
  return ended;
}

function describe(run: ListedRun): string {
  const { id, kind, status, agent, function: called, tool, endedAt, durationMs, error } = run;
  const name = kind === "turn" ? agent?.name : (called?.slug ?? tool?.name);
  const parts = [
    new Date(endedAt ?? 0).toISOString(),
    status,
    kind,
    name,
    durationMs === null ? undefined : `${durationMs} ms`,
    id,
    error && `${error.code}: ${error.message}`,
  ];
  return oneLine(parts.filter((part) => typeof part === "string").join("  "));
}
