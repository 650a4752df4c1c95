import { calledWrongly, CommandError } from "@parley/command/command-error";
import { describeFailure } from "@parley/command/failures";
import type { Io } from "@parley/command/io";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { cyan, dim, red } from "@parley/command/style";
import { connect, type ServerConnection } from "../../connection/connect.ts";
import type { ServerOptions } from "../../connection/server-options.ts";
import { ask } from "../ask.ts";
import {
  askForAgent,
  chooseAgent,
  findLastAgent,
  listAgents,
  type NamedAgent,
} from "../find-agent.ts";
import { sendMessage } from "../send-message.ts";
import { createAnswerView } from "./answer-view.ts";
import type { Chat } from "./chat-state.ts";
import { printText } from "./print-text.ts";
import { followAnswer } from "./follow-answer.ts";
import { openKeyboard } from "./keyboard.ts";
import { readMessage } from "./read-message.ts";
import { completeLine, readMention, runCommand } from "./run-command.ts";
import { showConversation } from "./show-conversation.ts";
import type { Context } from "../../connection/context.ts";

interface ChatOptions extends ServerOptions {
  readonly conversation?: string;
  readonly once?: string | true;
  readonly reasoning?: true;
}

/**
 * Talks to agents on a terminal, until somebody leaves; with `--once`, asks as `parley ask` does. Throws
 * `CommandError`.
 */
export async function chat(
  context: Context,
  agent: string | undefined,
  options: ChatOptions,
): Promise<void> {
  const { once, conversation: conversationId } = options;
  if (once !== undefined)
    return ask(context, once === true ? undefined : once, { ...options, agent });
  requireTerminal(context, options);
  const connection = await connect(context, options);
  const agents = await listAgents(connection);
  const named = await findNamed(connection, agents, { agent, conversationId });
  const chosen = named ?? (await findOther(context.io, agents));
  const keyboard = openKeyboard(context.io);
  try {
    await talk({
      context,
      connection,
      keyboard,
      agents,
      agent: chosen,
      conversationId,
      showsReasoning: options.reasoning === true,
      lastAnswer: "",
      history: [],
    });
  } finally {
    keyboard.close();
  }
}

function requireTerminal({ io }: Context, { json }: ChatOptions): void {
  const isTerminal = io.isTerminal.stdin && io.isTerminal.stdout;
  if (isTerminal && json === undefined) return;
  const why = isTerminal ? "--json needs --once" : "a chat needs a terminal";
  throw calledWrongly("parley chat", `${why}; send one message with --once or parley ask`);
}

/** The agent of the command, else of the last answer in the conversation. */
async function findNamed(
  connection: ServerConnection,
  agents: readonly NamedAgent[],
  { agent, conversationId }: { agent: string | undefined; conversationId: string | undefined },
): Promise<NamedAgent | undefined> {
  if (agent !== undefined) return chooseAgent(agents, agent);
  return conversationId === undefined ? undefined : findLastAgent(connection, conversationId);
}

/** The only agent, or the one that a person chooses, where the chat will be. Throws `CommandError`. */
async function findOther(io: Io, agents: readonly NamedAgent[]): Promise<NamedAgent> {
  const [first] = agents;
  if (first === undefined) throw new CommandError("No agents yet: create one in parley console");
  return agents.length === 1 ? first : askForAgent({ ...io, stderr: io.stdout }, agents);
}

async function talk(state: Chat): Promise<void> {
  const { io } = state.context;
  printText(io, dim(io, "/help lists the commands, Ctrl-D leaves"));
  let isTalking = true;
  if (state.conversationId !== undefined) {
    const open = await showConversation(state, state.conversationId);
    if (open !== undefined)
      isTalking = await attempt(state.context, () => followAnswer(state, open));
  }
  while (isTalking) {
    printLine(io, "");
    const message = await readNext(state);
    if (message === undefined) break;
    isTalking = await attempt(state.context, () => answerTo(state, message));
  }
  if (state.conversationId === undefined) return;
  reportLine(
    io,
    dim(io, `continue with parley chat --conversation ${state.conversationId}`, "stderr"),
  );
}

const readNext = ({
  context: { io },
  agent,
  agents,
  history,
  keyboard,
}: Chat): Promise<string | undefined> =>
  readMessage(io, keyboard, {
    prompt: cyan(io, `${oneLine(agent.name)}> `),
    history,
    complete: (line) => completeLine(agents, line),
  });

/** Does what a message says; returns whether the chat continues. */
async function answerTo(state: Chat, message: string): Promise<boolean> {
  if (message.startsWith("/")) return runCommand(state, message);
  const mention = readMention(state.agents, message);
  if (mention !== undefined) state.agent = mention.agent;
  const content = mention?.content ?? message.replace(/^ (?=[/@])/, "");
  if (content === "") return true;
  const answer = await send(state, content);
  state.conversationId = answer.conversationId;
  return followAnswer(state, answer);
}

async function send(
  { context, connection, keyboard, agent, conversationId }: Chat,
  content: string,
) {
  const leaving = new AbortController();
  const stopListening = keyboard.onInterrupt(() =>
    leaving.abort(new CommandError("Stopped waiting; the message may have been sent")),
  );
  const view = createAnswerView(context.io);
  view.await();
  const message = { content, agentId: agent.sId, conversationId };
  try {
    return await sendMessage(connection, message, leaving.signal);
  } finally {
    view.finish();
    stopListening();
  }
}

/** What fails is said, and the chat continues. */
async function attempt(context: Context, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    reportLine(context.io, red(context.io, `parley: ${describeFailure(context, error)}`, "stderr"));
    return true;
  }
}
