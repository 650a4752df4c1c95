import type { Endpoints, ParsedInputOf } from "@parley/schema";
import type { SendFormat } from "../../transports/streams.ts";
import { streamRun } from "./stream-run.ts";
import { readThread } from "./threads.ts";

/** Sends the log of an answer as one run, whose thread is the conversation. */
export const sendMessageAsRun: SendFormat = async (exchange, { input }) => {
  // That of its endpoint, which has parsed it.
  const { cId, mId } = input as ParsedInputOf<Endpoints["messages.events"]>;
  await streamRun(exchange, { threadId: cId, runId: mId, conversationId: cId, messageId: mId });
};

/** Sends the answer in progress of a conversation as a run, or answers 204. */
export const sendConversationAsRun: SendFormat = async (exchange, { input }) => {
  // As above.
  const { cId } = input as ParsedInputOf<Endpoints["conversations.events"]>;
  const last = (await readThread(exchange, cId))?.last;
  if (last?.status !== "created") await exchange.reply.code(204).send();
  else {
    const { sId: messageId } = last;
    await streamRun(exchange, { threadId: cId, runId: messageId, conversationId: cId, messageId });
  }
};
