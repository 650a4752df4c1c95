import { type Doors, doors, type ParsedInputOf } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { type DoorExchange, registerDoor, withPlace } from "../door.ts";
import { toChatMessages } from "./chat-messages.ts";
import { findChat, readChatPage } from "./chats.ts";
import { requireAgent, sendChat } from "./send-chat.ts";
import { streamAnswer } from "./stream-answer.ts";

/** Serves what the AI SDK's `DefaultChatTransport` calls: chats, each with a conversation of its caller. */
export function registerAiSdk(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, {
    endpoint: doors["aiSdk.send"],
    handle: async (exchange, input) =>
      withPlace(exchange, async (holding) => sendChat(holding, input)),
  });
  registerDoor(app, services, { endpoint: doors["aiSdk.messages"], handle: listMessages });
  registerDoor(app, services, { endpoint: doors["aiSdk.resume"], handle: resumeChat });
}

async function listMessages(
  exchange: DoorExchange,
  input: ParsedInputOf<Doors["aiSdk.messages"]>,
): Promise<object> {
  await requireAgent(exchange, input.sId);
  const page = await readChatPage(exchange, input.chatId, input);
  if (page === undefined) return { messages: [], hasMore: false, lastValue: null };
  const { conversation, hasMore = false, lastValue = null } = page;
  return { messages: toChatMessages(conversation.sId, conversation.content), hasMore, lastValue };
}

async function resumeChat(
  exchange: DoorExchange,
  { sId, chatId, ended }: ParsedInputOf<Doors["aiSdk.resume"]>,
): Promise<undefined> {
  await requireAgent(exchange, sId);
  const chat = await findChat(exchange, chatId);
  const last = chat?.last;
  if (chat !== undefined && last !== undefined && (last.status === "created" || ended)) {
    const { conversationId } = chat;
    await streamAnswer(exchange, { conversationId, messageId: last.sId });
  } else {
    await exchange.reply.code(204).send();
  }
  return undefined;
}
