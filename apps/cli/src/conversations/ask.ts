import { agentMessages } from "parley-client";
import type { MessageEvent } from "@parley/schema";
import { CommandError } from "../command-error.ts";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readInput } from "../connection/read-secrets.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { describeFailure } from "../describe-failure.ts";
import { oneLine, plain } from "../plain.ts";
import { printLine, reportLine } from "../print.ts";

interface AskOptions extends ServerOptions {
  readonly agent?: string;
  readonly conversation?: string;
}

/** Ids of an answer. */
interface Answer {
  readonly conversationId: string;
  readonly messageId: string;
}

/**
 * Sends a message, and prints the answer as it is written. Throws `CommandError` where it fails, or waits for a
 * person. The first Ctrl-C cancels it.
 */
export async function ask(given: string | undefined, options: AskOptions): Promise<void> {
  const connection = await connect(options);
  const content = given === undefined || given === "-" ? (await readInput()).trimEnd() : given;
  const { conversation: conversationId, json } = options;
  const answer = await send(connection, { content, agent: options.agent, conversationId });
  cancelOnInterrupt(connection, answer);
  const isWhole = await callServer(print(connection, answer, json === true));
  if (!isWhole) {
    const { messageId } = answer;
    throw new CommandError(
      `The answer waits for a person: decide in parley console, then parley tail message ${answer.conversationId} ${messageId}`,
    );
  }
  if (json) return printAnswer(connection, answer);
  reportLine(`parley ask --conversation ${answer.conversationId} continues it`);
}

interface Question {
  readonly content: string;
  readonly agent: string | undefined;
  readonly conversationId: string | undefined;
}

async function send(connection: ServerConnection, question: Question): Promise<Answer> {
  const { parley } = connection;
  const { content, agent, conversationId } = question;
  const mentions = [{ configurationId: await findAgent(connection, agent, conversationId) }];
  if (conversationId === undefined) {
    const { conversation } = await callServer(
      parley.conversations.create({ message: { content, mentions } }),
    );
    const [answer] = agentMessages(conversation);
    return { conversationId: conversation.sId, messageId: requireAnswer(answer).sId };
  }
  const posted = await callServer(parley.messages.create({ conversationId, content, mentions }));
  return { conversationId, messageId: requireAnswer(posted.agentMessages[0]).sId };
}

function requireAnswer<A>(answer: A | undefined): A {
  if (answer !== undefined) return answer;
  throw new CommandError("No agent answers: choose another one with --agent");
}

/** The id of the agent with an id or name; else of who answered last in the conversation. */
async function findAgent(
  { parley }: ServerConnection,
  reference: string | undefined,
  conversationId: string | undefined,
): Promise<string> {
  if (reference === undefined && conversationId !== undefined) {
    const { conversation } = await callServer(parley.conversations.get({ conversationId }));
    const last = agentMessages(conversation).at(-1);
    if (last !== undefined) return last.configuration.sId;
  }
  const { agentConfigurations: agents } = await callServer(parley.agents.list({}));
  const named = agents.filter(({ sId, name }) => sId === reference || name === reference);
  const [agent] = named;
  if (agent !== undefined && named.length === 1) return agent.sId;
  const known = agents.map(({ name }) => name).join(", ");
  if (reference === undefined) throw new CommandError(`Name an agent with --agent: ${known}`);
  throw new CommandError(
    agent === undefined
      ? `There is no agent ${reference}: there is ${known}`
      : `${named.length} agents are named ${reference}: name one by its id`,
  );
}

/** Prints an answer; returns whether it has ended, and does not wait for a person. Throws `CommandError` if it failed. */
async function print(
  { parley }: ServerConnection,
  answer: Answer,
  isSilent: boolean,
): Promise<boolean> {
  let last = "\n";
  for await (const event of parley.messages.follow(answer)) {
    if (event.type === "generation_tokens" && event.classification === "tokens") {
      last = event.text;
      if (!isSilent) process.stdout.write(plain(event.text));
    }
    const happened = describeEvent(event);
    if (happened !== undefined) reportLine(happened);
    if (waiting.has(event.type)) return false;
    if (event.type === "agent_error") {
      throw new CommandError(`${event.error.code}: ${plain(event.error.message)}`);
    }
    if (event.type === "agent_generation_cancelled")
      throw new CommandError("The answer was cancelled");
  }
  if (!isSilent && !last.endsWith("\n")) printLine("");
  return true;
}

const waiting: ReadonlySet<MessageEvent["type"]> = new Set([
  "tool_approve_execution",
  "tool_ask_user_question",
  "tool_personal_auth_required",
] as const);

function describeEvent(event: MessageEvent): string | undefined {
  if (event.type === "tool_params") return `calls ${oneLine(event.action.functionCallName)}`;
  if (event.type === "agent_action_success") {
    return `called ${oneLine(event.action.functionCallName)}`;
  }
  return undefined;
}

async function printAnswer({ parley }: ServerConnection, answer: Answer): Promise<void> {
  const { conversationId, messageId } = answer;
  const { conversation } = await callServer(parley.conversations.get({ conversationId }));
  const message = agentMessages(conversation).find(({ sId }) => sId === messageId);
  printLine(JSON.stringify({ conversationId, message }));
}

/** Cancels at the first signal; a second one ends this process. The answer's end is still waited for. */
function cancelOnInterrupt({ parley }: ServerConnection, answer: Answer): void {
  const { conversationId, messageId } = answer;
  process.once("SIGINT", () => {
    callServer(parley.conversations.cancel({ conversationId, messageIds: [messageId] })).catch(
      (error: unknown) => reportLine(`parley: not cancelled: ${describeFailure(error)}`),
    );
  });
}
