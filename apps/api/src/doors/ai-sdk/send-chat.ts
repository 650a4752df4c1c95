import { conversationIdOf } from "@parley/core";
import { requireAllowed } from "@parley/rpc";
import { endpoints, invalidRequest, ParleyError, type SendChat } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, withStoredKey } from "../door.ts";
import { type Chat, findChat } from "./chats.ts";
import { type Awaited, continueAnswer, unkeyed } from "./continue-answer.ts";
import { withFiles } from "./sent-files.ts";
import { readSent, type Sent, type SentText } from "./sent-message.ts";
import { streamAnswer } from "./stream-answer.ts";

/** What a chat sends, to an agent. */
type Input = SendChat & { readonly sId: string };

/** Does what a chat asks for, and streams the answer. */
export async function sendChat(exchange: DoorExchange, input: Input): Promise<undefined> {
  const { context } = exchange;
  // Nothing is written for a caller that may not read what comes of it.
  requireAllowed(endpoints["messages.events"], context.caller);
  requireAllowed(endpoints["conversations.get"], context.caller);
  await requireAgent(exchange, input.sId);
  const sent = readSent(input);
  const answer = await findOrAnswer(exchange, input, sent);
  await streamAnswer(unkeyed(exchange), answer);
  return undefined;
}

async function findOrAnswer(exchange: DoorExchange, input: Input, sent: Sent): Promise<Awaited> {
  const find = () => findChat(unkeyed(exchange), input.id);
  const chat = await find();
  const keyed = await withStoredKey(exchange);
  if (keyed.context.idempotencyKey?.stored === undefined) {
    return answerSent({ exchange: keyed, input, chat }, sent);
  }
  // The chat may have begun with the key, since it was looked for.
  return replayed(keyed, keyed === exchange ? chat : await find());
}

/** Throws `agent_not_found` unless the workspace has the agent, active. */
export async function requireAgent({ context }: DoorExchange, sId: string): Promise<void> {
  const found = await context.agents.find(context.caller.workspace.id, [sId]);
  if (!found.has(sId)) {
    throw new ParleyError("agent_not_found", "The workspace has no active agent with this id");
  }
}

interface Sending {
  readonly exchange: DoorExchange;
  readonly input: Input;
  readonly chat: Chat | undefined;
}

async function answerSent(sending: Sending, sent: Sent): Promise<Awaited> {
  const { chat } = sending;
  if (sent.kind === "post") return post(sending, sent);
  if (sent.kind === "regenerate") {
    // A message that has not arrived is sent again like this.
    if (chat?.asked?.content !== sent.content) return post(sending, sent);
    return regenerate(sending, chat, sent);
  }
  if (chat === undefined) {
    throw new ParleyError("conversation_not_found", "The chat has no conversation yet");
  }
  if (sent.kind === "continue") return continueAnswer(sending.exchange, chat, sent);
  if (sent.files.length > 0) {
    const { path } = sent.files[0]!;
    throw invalidRequest("body", [{ path, message: "an edit has no files: those sent stay" }]);
  }
  return edit(sending, chat, sent);
}

async function post({ exchange, input, chat }: Sending, sent: SentText): Promise<Awaited> {
  const message = messageOf(input, sent.content);
  return withFiles(unkeyed(exchange), sent.files, async (files) => {
    if (chat === undefined) return begin(exchange, input, { message, contentFragments: files });
    const { conversationId } = chat;
    const params = { cId: conversationId };
    const contentFragment = files.at(-1);
    for (const body of files.slice(0, -1)) {
      await callEndpoint(unkeyed(exchange), "contentFragments.create", { params, body });
    }
    const body = { ...message, contentFragment };
    const { agentMessages } = await callEndpoint(exchange, "messages.create", { params, body });
    return awaitFirst(conversationId, agentMessages);
  });
}

async function begin(exchange: DoorExchange, { id }: Input, body: object): Promise<Awaited> {
  const conversationId = conversationIdOf(exchange.context.caller, id);
  const named = { ...exchange, context: { ...exchange.context, conversationId } };
  const { conversation } = await callEndpoint(named, "conversations.create", { body });
  const answers = conversation.content.flat().filter((one) => one.type === "agent_message");
  return awaitFirst(conversation.sId, answers);
}

/** Gives the last answer again, by the same agent or by another: one in progress is cancelled. */
async function regenerate(
  sending: Sending,
  chat: Chat,
  { messageId, content }: Extract<Sent, { kind: "regenerate" }>,
): Promise<Awaited> {
  const { exchange, input } = sending;
  const { conversationId, asked, last } = chat;
  const params = { cId: conversationId };
  if (messageId !== undefined && messageId !== last?.sId) {
    throw invalidRequest("body", [
      { path: "messageId", message: "must be the last answer: earlier ones are not given again" },
    ]);
  }
  if (last?.status === "created") {
    const body = { messageIds: [last.sId] };
    await callEndpoint(unkeyed(exchange), "conversations.cancel", { params, body });
  }
  const isOfAgent = last?.configuration.sId === input.sId;
  if (last !== undefined && isOfAgent && last.parentMessageId === asked?.sId) {
    const retried = { params: { ...params, mId: last.sId } };
    const { message } = await callEndpoint(exchange, "messages.retry", retried);
    return { conversationId, messageId: message.sId };
  }
  return edit(sending, chat, { messageId: asked?.sId ?? "", content });
}

async function edit(
  { exchange, input }: Sending,
  { conversationId }: Chat,
  { messageId, content }: { readonly messageId: string; readonly content: string },
): Promise<Awaited> {
  const { mentions } = messageOf(input, content);
  const edited = { params: { cId: conversationId, mId: messageId }, body: { content, mentions } };
  const { agentMessages } = await callEndpoint(exchange, "messages.edit", edited);
  return awaitFirst(conversationId, agentMessages);
}

/** The answer to a request whose Idempotency-Key was used: the chat's last one. */
function replayed({ context }: DoorExchange, chat: Chat | undefined): Awaited {
  context.idempotencyKey?.onReplay();
  if (chat?.last !== undefined) {
    return { conversationId: chat.conversationId, messageId: chat.last.sId };
  }
  throw new ParleyError("conversation_not_found", "The chat's conversation was deleted");
}

function messageOf({ sId, ...input }: Input, content: string) {
  const { context, modelSelection, responseFormat, functionTools, toolChoice } = input;
  const mentions = [{ configurationId: sId }];
  return {
    content,
    mentions,
    context,
    modelSelection,
    responseFormat,
    functionTools,
    toolChoice,
  };
}

function awaitFirst(conversationId: string, [answer]: readonly { sId: string }[]): Awaited {
  if (answer !== undefined) return { conversationId, messageId: answer.sId };
  throw new ParleyError("agent_not_found", "The agent is no longer active: nobody answers");
}
