import type { Io } from "@parley/command/io";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import type { ListedRun } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import { reportBreaks } from "../connection/report-breaks.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { renderInvocationEvent } from "../functions/render-functions.ts";
import { describeConversationEvent, readAnswerLines } from "./event-lines.ts";
import { withNotes } from "./read-event.ts";
import type { Context } from "../connection/context.ts";
import { setTimeout as pause } from "node:timers/promises";

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

/** Prints the events of a conversation; it never ends by itself. */
export async function tailConversation(
  context: Context,
  conversationId: string,
  options: ServerOptions,
): Promise<void> {
  const { io, parley } = await reach(context, options);
  await callServer(
    printAll(
      io,
      parley.conversations.follow(
        { conversationId },
        { onState: reportBreaks((line) => reportLine(io, line)) },
      ),
      { ...options, linesOf: (event) => [describeConversationEvent(event)] },
    ),
  );
}

/** Prints the events of an answer to its end. */
export async function tailMessage(
  context: Context,
  answer: { readonly conversationId: string; readonly messageId: string },
  options: ServerOptions,
): Promise<void> {
  const { io, parley } = await reach(context, options);
  const lines = readAnswerLines();
  await callServer(
    printAll(
      io,
      parley.messages.follow(
        { ...answer, include: withNotes },
        { onState: reportBreaks((line) => reportLine(io, line)) },
      ),
      { ...options, linesOf: lines.add },
    ),
  );
}

/** Prints the events of an invocation to its end, with what it printed. */
export async function tailInvocation(
  context: Context,
  invocation: { readonly functionId: string; readonly invocationId: string },
  options: ServerOptions,
): Promise<void> {
  const { io, parley } = await reach(context, options);
  const include = ["log", "progress"] as const;
  const events = parley.invocations.follow(
    { ...invocation, include },
    { onState: reportBreaks((line) => reportLine(io, line)) },
  );
  await callServer(
    printAll(io, events, { ...options, linesOf: (event) => [renderInvocationEvent(event)] }),
  );
}

/**
 * The clients of a server that answers. Following waits for one that is gone, and must not for one that was never
 * there. Throws `CommandError`.
 */
async function reach(context: Context, options: ServerOptions) {
  const connection = await connect(context, options);
  await callServer(connection.rpc.session.get.query({}));
  return connection;
}

interface Printing<Event> extends ServerOptions {
  /** The lines that an event completes. */
  readonly linesOf: (event: Event) => readonly string[];
}

/** Prints events: with `--json` one per line, else what happened, in lines with their times. */
async function printAll<Event extends { readonly created: number }>(
  io: Io,
  events: AsyncIterable<Event>,
  { json, linesOf }: Printing<Event>,
): Promise<void> {
  for await (const event of events) {
    if (json) printLine(io, JSON.stringify(event));
    else {
      const time = new Date(event.created).toISOString();
      for (const line of linesOf(event)) printLine(io, `${time} ${oneLine(line)}`);
    }
  }
}
