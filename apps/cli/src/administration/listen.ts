import { setTimeout as pause } from "node:timers/promises";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import {
  MAX_DELIVERY_ANSWER_BYTES,
  MAX_TAKE_WAIT_MS,
  type TakenDeliveries,
  webhookEventNames,
} from "@parley/schema";
import type { Input } from "parley-client";
import { callServer, mayPass } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { reportBreaks } from "../connection/report-breaks.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { nounCommand } from "../grammar/noun.ts";
import { printDone, type References, resolveReferences } from "../grammar/one-commands.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";

/** What a program has for its answer, as servers that events are sent to. */
const TIMEOUT_MS = 15_000;
/** The wait before a lost connection is tried again. */
const RETRY_MS = 1000;

type Taken = TakenDeliveries["deliveries"][number];
type Outcome = NonNullable<Input<"webhooks.take">["outcomes"]>[number];

interface ListenOptions extends ServerOptions {
  readonly forward: string;
}

/** Makes `listen`, which needs no server that Parley reaches. */
export function createListenCommand(
  context: Context,
  references: References<ServerConnection>,
): ReturnType<typeof nounCommand> {
  const about = "forward events to a program on this machine, until Ctrl-C";
  const command = nounCommand("listen", about).requiredOption(
    "--forward <url>",
    "where each event is sent, such as http://localhost:3000/events",
  );
  const without = ["url", "description", "isPulled"];
  const schema = inputOf("webhooks.create", without).partial({ events: true });
  const read = withInput(command, { schema, isFilter: true, named: Object.keys(references) });
  command.addHelpText(
    "after",
    `
Without --event, it listens to all events. It creates a webhook, prints its secret, and removes it at its end.`,
  );
  return command.action(async (options: ListenOptions) => {
    const given = { events: webhookEventNames, ...(await read(context.io, { ...options })) };
    const settings = checkInput(schema, given);
    await listen(context, { settings, references, options });
  });
}

interface Listening {
  readonly settings: object;
  readonly references: References<ServerConnection>;
  readonly options: ListenOptions;
}

async function listen(
  context: Context,
  { settings, references, options }: Listening,
): Promise<void> {
  const { io } = context;
  const connection = await connect(context, options);
  const { rpc, wId } = connection;
  const resolved = await resolveReferences(connection, settings, references);
  // It was checked with the schema of the endpoint.
  const input = { ...resolved, url: options.forward } as Input<"webhooks.create">;
  const description = "parley webhooks listen";
  const made = { ...input, wId, description, isPulled: true };
  const created = await callServer(rpc.webhooks.create.mutate(made));
  const named = { wId, webhookId: created.webhook.sId };
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    io.signal.once(name, () => stopping.abort());
  }
  try {
    const { url, sId, isOrdered } = created.webhook;
    printDone(io, `listening: webhook ${oneLine(url)} (${sId})`, created, options);
    await forwardAll(connection, { named, isOrdered, options, signal: stopping.signal });
  } finally {
    const { webhook } = await callServer(rpc.webhooks.get.query(named));
    await callServer(rpc.webhooks.remove.mutate({ ...named, version: webhook.version }));
  }
}

interface Forwarding {
  readonly named: { readonly wId: string; readonly webhookId: string };
  readonly isOrdered: boolean;
  readonly options: ListenOptions;
  readonly signal: AbortSignal;
}

/** Forwards deliveries until the signal aborts. Throws `CommandError`, also if somebody else removed the webhook. */
async function forwardAll(
  connection: ServerConnection,
  { named, isOrdered, options, signal }: Forwarding,
): Promise<void> {
  const { io } = connection;
  const report = reportBreaks((line) => reportLine(io, line));
  const forward = async (delivery: Taken): Promise<Outcome> => {
    const outcome = await forwardOne(options.forward, delivery, signal);
    if (!signal.aborted) {
      printLine(
        io,
        options.json ? JSON.stringify({ ...delivery, outcome }) : said(delivery, outcome),
      );
    }
    return outcome;
  };
  let outcomes: Outcome[] = [];
  while (!signal.aborted) {
    const deliveries = await take(connection, { ...named, outcomes }, { report, signal });
    if (!isOrdered) outcomes = await Promise.all(deliveries.map(forward));
    else {
      outcomes = [];
      for (const delivery of deliveries) outcomes.push(await forward(delivery));
    }
  }
}

function said({ sId, event }: Taken, { status, error, durationMs }: Outcome): string {
  return oneLine(
    [new Date().toISOString(), event, sId, status ?? error, `${durationMs} ms`].join(" "),
  );
}

/** Takes deliveries, as soon as the server can be reached; none once the signal aborts. Throws `CommandError`. */
async function take(
  { rpc }: ServerConnection,
  input: Input<"webhooks.take"> & { readonly wId: string },
  { report, signal }: { report: ReturnType<typeof reportBreaks>; signal: AbortSignal },
): Promise<readonly Taken[]> {
  const waiting = { ...input, waitMs: MAX_TAKE_WAIT_MS };
  while (!signal.aborted) {
    try {
      const { deliveries } = await callServer(rpc.webhooks.take.mutate(waiting, { signal }));
      report({ status: "open" });
      return deliveries;
    } catch (error) {
      if (signal.aborted) break;
      if (!mayPass(error)) throw error;
      report({ status: "waiting", error });
      await pause(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
  return [];
}

/** Sends a delivery to the program. Never rejects: that it cannot be reached is an outcome. */
async function forwardOne(
  url: string,
  { sId: deliveryId, headers, body }: Taken,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answer = await readBeginning(response);
    return { deliveryId, status: response.status, body: answer, durationMs: durationMs() };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
    return { deliveryId, error: oneLine(reason).slice(0, 1024), durationMs: durationMs() };
  }
}

async function readBeginning(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MAX_DELIVERY_ANSWER_BYTES) break;
  }
  const beginning = Buffer.concat(chunks).subarray(0, MAX_DELIVERY_ANSWER_BYTES);
  return new TextDecoder().decode(beginning).replaceAll("\u0000", "");
}
