import { setTimeout as pause } from "node:timers/promises";
import { oneLine, printLine } from "@parley/command/print";
import type { ListedRun } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

/** How often the newest runs are read. */
const READ_MS = 1000;
/** Runs that are read at a time: what changes further back is not seen. */
const NEWEST = 100;

/** Prints each of the newest runs when it begins and when its state changes; it never ends by itself. */
export async function tailRuns(context: Context, options: ServerOptions): Promise<never> {
  const { io, rpc, wId } = await connect(context, options);
  let states = new Map<string, string>();
  for (;;) {
    const { runs } = await callServer(rpc.runs.list.query({ wId, limit: NEWEST }));
    for (const run of runs.toReversed()) {
      if (states.get(run.id) === run.status) continue;
      printLine(io, options.json ? JSON.stringify(run) : describeRun(run));
    }
    states = new Map(runs.map(({ id, status }) => [id, status]));
    await pause(READ_MS);
  }
}

function describeRun(run: ListedRun): string {
  const { id, kind, status, createdAt, durationMs, error } = run;
  const name = kind === "turn" ? run.agent?.name : (run.function?.slug ?? run.tool?.name);
  const words = [new Date(createdAt).toISOString(), status, kind, name ?? "?", id];
  if (durationMs !== null) words.push(`${durationMs} ms`);
  if (error !== null) words.push(`${error.code}: ${error.message}`);
  return oneLine(words.join(" "));
}
