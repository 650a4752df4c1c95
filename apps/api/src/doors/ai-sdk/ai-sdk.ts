import { type Doors, doors, type ParsedInputOf } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { type DoorExchange, registerDoor } from "../door.ts";
import { findChat } from "./chats.ts";
import { requireAgent, sendChat } from "./send-chat.ts";
import { streamAnswer } from "./stream-answer.ts";

/** Serves what the AI SDK's `DefaultChatTransport` calls: chats, each with a conversation of its caller. */
export function registerAiSdk(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, { endpoint: doors["aiSdk.send"], handle: sendChat });
  registerDoor(app, services, { endpoint: doors["aiSdk.resume"], handle: resumeChat });
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
