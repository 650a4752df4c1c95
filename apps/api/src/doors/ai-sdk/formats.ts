import type { Endpoints, ParsedInputOf } from "@parley/schema";
import type { SendFormat } from "../../transports/streams.ts";
import { readLastPlace } from "../last-place.ts";
import { readChat } from "./chats.ts";
import { streamAnswer } from "./stream-answer.ts";

/** Sends the log of an answer as a UI message stream. */
export const sendMessage: SendFormat = async (exchange, { input }) => {
  // That of its endpoint, which has parsed it.
  const { cId, mId } = input as ParsedInputOf<Endpoints["messages.events"]>;
  const last = readLastPlace(exchange.request);
  await streamAnswer(exchange, { conversationId: cId, messageId: mId, last });
};

/**
 * Replays the answer in progress of a conversation as a UI message stream, or answers 204: a UI message is one
 * answer. It has no cursor, which would be of another answer as soon as one ends.
 */
export const sendConversation: SendFormat = async (exchange, { input }) => {
  // As above.
  const { cId } = input as ParsedInputOf<Endpoints["conversations.events"]>;
  const last = (await readChat(exchange, cId))?.last;
  if (last?.status !== "created") await exchange.reply.code(204).send();
  else await streamAnswer(exchange, { conversationId: cId, messageId: last.sId });
};
