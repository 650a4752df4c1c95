import { CommandError } from "@parley/command/command-error";
import { describeFailure } from "@parley/command/failures";
import { plain, printLine, reportLine } from "@parley/command/print";
import { agentMessages, explainEnd, waitingOf } from "parley-client";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { RECONNECT_FOR_MS, reportBreaks } from "../connection/report-breaks.ts";
import { readInput } from "../connection/read-secrets.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import {
  answerFailed,
  describeCall,
  isWritten,
  notesIn,
  referencesOf,
  withNotes,
} from "./read-event.ts";
import { canChoose } from "../terminal/choose-one.ts";
import { explainSilence } from "./explain-silence.ts";
import { askForAgent, chooseAgent, findLastAgent, listAgents, namesOf } from "./find-agent.ts";
import { type Answer, sendMessage } from "./send-message.ts";
import type { Context } from "../connection/context.ts";

interface AskOptions extends ServerOptions {
  readonly agent?: string | undefined;
  readonly conversation?: string | undefined;
  readonly reasoning?: true | undefined;
}

/** What the process exits with if an answer has not been given. */
const exitCodes = { waits: 3, interrupted: 130 } as const;

/**
 * Sends a message, and prints the answer as it is written. Throws `CommandError` if it fails, is cancelled, or
 * waits for a person, each with an exit code. The first Ctrl-C cancels it.
 */
export async function ask(
  context: Context,
  given: string | undefined,
  options: AskOptions,
): Promise<void> {
  const { io } = context;
  const connection = await connect(context, options);
  const content = given === undefined || given === "-" ? (await readInput(io)).trimEnd() : given;
  const { conversation: conversationId, json } = options;
  // Of a standard input that was read, no keys are left.
  const mayChoose = canChoose(io) && given !== undefined && given !== "-";
  const agentId = await findAgent(connection, { ...options, mayChoose });
  const answer = await sendMessage(connection, { content, agentId, conversationId });
  const interruption = cancelOnInterrupt(context, connection, answer);
  const end = await callServer(print(connection, answer, options));
  if (json) await printAnswer(connection, answer);
  if (end === "waits") {
    throw new CommandError(
      `The answer is waiting for your decision: run parley chat --conversation ${answer.conversationId}, or parley console`,
      { exitCode: exitCodes.waits },
    );
  }
  if (end === "cancelled") {
    const exitCode = interruption.aborted ? exitCodes.interrupted : 1;
    throw new CommandError("The answer was cancelled", { exitCode });
  }
  if (!json) reportLine(io, `continue with parley ask --conversation ${answer.conversationId}`);
}

/** The id of the agent with an id or name; else of who answered last in the conversation, or whom a person chooses. */
async function findAgent(
  connection: ServerConnection,
  { agent, conversation, mayChoose }: AskOptions & { readonly mayChoose: boolean },
): Promise<string> {
  if (agent === undefined && conversation !== undefined) {
    const last = await findLastAgent(connection, conversation);
    if (last !== undefined) return last.sId;
  }
  const agents = await listAgents(connection);
  if (agent !== undefined) return chooseAgent(agents, agent).sId;
  if (mayChoose && agents.length > 0) {
    return (await askForAgent(connection.io, agents)).sId;
  }
  throw new CommandError(`Choose an agent with --agent: ${namesOf(agents)}`);
}

/** Prints an answer until it ends or waits for a person. Throws `CommandError` if it failed. */
async function print(
  connection: ServerConnection,
  answer: Answer,
  { json, reasoning }: AskOptions,
): Promise<"done" | "waits" | "cancelled"> {
  const { io } = connection;
  let last = "\n";
  let lacks: string | undefined;
  const notes: string[] = [];
  const begun = new AbortController();
  const silent = new AbortController();
  void explainSilence(connection, answer.conversationId, begun.signal).catch((why: unknown) =>
    silent.abort(why),
  );
  try {
    const { signal } = silent;
    const patience = {
      onState: reportBreaks((line) => reportLine(io, line)),
      reconnectForMs: RECONNECT_FOR_MS,
      signal,
    };
    const followed = { ...answer, include: withNotes };
    for await (const event of connection.parley.messages.follow(followed, patience)) {
      begun.abort();
      if (isWritten(event, "tokens") && !json) {
        last = event.text;
        io.stdout.write(plain(event.text));
      }
      if (isWritten(event, "chain_of_thought") && reasoning) {
        io.stderr.write(plain(event.text));
      }
      const happened = describeCall(event);
      if (happened !== undefined) reportLine(io, happened);
      notes.push(...notesIn(event));
      if (waitingOf(event) !== undefined) return "waits";
      if (event.type === "agent_error") throw answerFailed(event.error);
      if (event.type === "agent_message_success") {
        lacks = explainEnd(event.message);
        notes.push(...referencesOf(event.message));
      }
      if (event.type === "agent_generation_cancelled") return "cancelled";
    }
    return "done";
  } finally {
    begun.abort();
    if (!last.endsWith("\n")) printLine(io, "");
    for (const note of notes) reportLine(io, note);
    if (lacks !== undefined) reportLine(io, lacks);
  }
}

async function printAnswer({ io, parley }: ServerConnection, answer: Answer): Promise<void> {
  const { conversationId, messageId } = answer;
  const { conversation } = await callServer(parley.conversations.get({ conversationId }));
  const message = agentMessages(conversation).find(({ sId }) => sId === messageId);
  printLine(io, JSON.stringify({ conversationId, message }));
}

/**
 * Cancels at the first signal; a second one ends this process. The answer's end is still waited for, unless there is
 * nobody to cancel it.
 */
function cancelOnInterrupt(
  context: Context,
  { parley }: ServerConnection,
  answer: Answer,
): AbortSignal {
  const { conversationId, messageId } = answer;
  const { io } = context;
  const interruption = new AbortController();
  io.signal.once("SIGINT", () => {
    interruption.abort();
    callServer(parley.conversations.cancel({ conversationId, messageIds: [messageId] })).catch(
      (error: unknown) => {
        reportLine(io, `parley: not cancelled: ${describeFailure(context, error)}`);
        io.exit(exitCodes.interrupted);
      },
    );
  });
  return interruption.signal;
}
