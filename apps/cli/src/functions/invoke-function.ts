import { CommandError } from "@parley/command/command-error";
import { describeFailure } from "@parley/command/failures";
import type { Io } from "@parley/command/io";
import { plain, printLine, reportLine } from "@parley/command/print";
import { InvokeSandboxFunction, type SentJson } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { readInput } from "../connection/read-secrets.ts";
import { renderInvocationEvent, renderJson } from "./render-functions.ts";
import { check, connect, type ServerConnection } from "../connection/connect.ts";
import { reportBreaks } from "../connection/report-breaks.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Context } from "../connection/context.ts";

interface Invoked {
  readonly functionId: string;
  readonly invocationId: string;
}

/**
 * Invokes a function, prints its lines to standard error as they come, and its result. Throws `CommandError` if
 * it fails. The first Ctrl-C cancels the invocation.
 */
export async function invokeFunction(
  context: Context,
  functionId: string,
  options: ServerOptions & { readonly input?: string; readonly wait: boolean },
): Promise<void> {
  const connection = await connect(context, options);
  const { io, parley } = connection;
  const input = await parseInput(io, options.input);
  check(InvokeSandboxFunction, { input });
  const begun = Promise.withResolvers<Invoked>();
  cancelOnInterrupt(context, connection, begun.promise);
  const invoking = parley.functions.invoke({ functionId, input }, { waitSeconds: 0 });
  const { invocation } = await callServer(invoking);
  const invoked = { functionId, invocationId: invocation.sId };
  begun.resolve(invoked);
  if (!options.wait) {
    return printLine(io, options.json ? JSON.stringify({ invocation }) : invocation.sId);
  }
  await callServer(printEvents(connection, invoked));
  const ended = await callServer(parley.invocations.get(invoked));
  if (options.json) printLine(io, JSON.stringify(ended));
  const { outcome } = ended;
  if (outcome?.status === "succeeded") {
    if (!options.json) printLine(io, renderJson(outcome.result));
    return;
  }
  const { code, message } = outcome?.error ?? { code: "invocation_failed", message: "no outcome" };
  throw new CommandError(`${code}: ${plain(message)}`);
}

type Input = SentJson;

async function parseInput(io: Io, given: string | undefined): Promise<Input> {
  const json = given === "-" ? await readInput(io) : given;
  if (json === undefined) return null;
  try {
    return JSON.parse(json) as Input;
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new CommandError(`--input must be JSON: ${message.replaceAll(/\s+/g, " ")}`);
  }
}

async function printEvents({ io, parley }: ServerConnection, invoked: Invoked): Promise<void> {
  const include = ["log", "progress"] as const;
  const events = parley.invocations.follow(
    { ...invoked, include },
    { onState: reportBreaks((line) => reportLine(io, line)) },
  );
  for await (const event of events) {
    const isLog = event.type === "sandbox_function_invocation_log";
    if (isLog) reportLine(io, plain(event.text));
    if (event.type === "sandbox_function_invocation_progress") {
      reportLine(io, renderInvocationEvent(event));
    }
  }
}

/** Cancels at the first signal; a second one ends this process. The invocation's end is still waited for. */
function cancelOnInterrupt(
  context: Context,
  { parley }: ServerConnection,
  begun: Promise<Invoked>,
): void {
  let isCancelled = false;
  const cancel = (): void => {
    if (isCancelled) return;
    isCancelled = true;
    begun
      .then(async (invoked) => callServer(parley.invocations.cancel(invoked)))
      .catch((error: unknown) => {
        reportLine(context.io, `parley: not cancelled: ${describeFailure(context, error)}`);
      });
  };
  context.io.signal.once("SIGINT", cancel);
  context.io.signal.once("SIGTERM", cancel);
}
