import type { Io } from "@parley/command/io";
import { oneLine, plain, printLine } from "@parley/command/print";
import { bold, dim } from "@parley/command/style";
import { agentMessages, type Output } from "parley-client";
import { callServer } from "../../connection/call-server.ts";
import { referencesOf } from "../read-event.ts";
import type { Answer } from "../send-message.ts";
import { createAnswerView } from "./answer-view.ts";
import type { Chat } from "./chat-state.ts";

/** How many messages are shown of a conversation that is continued. */
const LAST_MESSAGES = 4;
/** Longer messages of users are cut. */
const MAX_LINES = 10;

type Conversation = Output<"conversations.get">["conversation"];

/**
 * Shows the last messages of a conversation, and takes its own messages into the history. Gives the answer that is
 * still being written or waits for somebody; undefined if none is.
 */
export async function showConversation(
  chat: Chat,
  conversationId: string,
): Promise<Answer | undefined> {
  const { connection, keyboard, history } = chat;
  const { io } = chat.context;
  const call = connection.parley.conversations.get({ conversationId });
  const { conversation } = await callServer(call);
  const messages = conversation.content.flatMap((versions) => versions.at(-1) ?? []);
  for (const message of messages) {
    if (message.type === "user_message") history.unshift(keyboard.fold(plain(message.content)));
  }
  const open = agentMessages(conversation).findLast(({ status }) => status === "created");
  const ended = messages.filter((message) => message !== open);
  const before = ended.length - LAST_MESSAGES;
  if (before > 0) printLine(io, dim(io, `… ${before} earlier messages`));
  for (const message of ended.slice(-LAST_MESSAGES)) showMessage(io, message);
  const last = ended.findLast((message) => message.type === "agent_message");
  chat.lastAnswer = last?.content ?? "";
  return open && { conversationId, messageId: open.sId };
}

function showMessage(io: Io, message: Conversation["content"][number][number]): void {
  if (message.type === "user_message") {
    const lines = plain(message.content).split("\n");
    printLine(io, "");
    for (const line of lines.slice(0, MAX_LINES)) printLine(io, dim(io, `> ${line}`));
    if (lines.length > MAX_LINES)
      printLine(io, dim(io, `> … ${lines.length - MAX_LINES} more lines`));
  }
  if (message.type !== "agent_message") return;
  const view = createAnswerView(io);
  view.note(bold(io, oneLine(message.configuration.name)));
  view.write("answer", message.content);
  view.finish();
  for (const reference of referencesOf(message)) view.note(reference);
  if (message.status !== "succeeded") view.note(message.status);
  view.finish();
}
