import { readLogEnd } from "@parley/core";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, openLog } from "../door.ts";
import type { FramePlace } from "../event-codec.ts";
import { sendEvents } from "../send-events.ts";
import { createAnswerCodec } from "./answer-codec.ts";

/** What tells a client that a response is a UI message stream. */
const headers = { "x-vercel-ai-ui-message-stream": "v1" };

interface SentAnswer {
  readonly conversationId: string;
  readonly messageId: string;
  /** The last frame that the client has; none by default. */
  readonly last?: Pick<FramePlace, "seq" | "index"> | undefined;
  /** The calls that its user has just decided: the client has what comes before. */
  readonly decided?: ReadonlySet<string> | undefined;
}

/**
 * Sends an answer as a UI message stream, or 204 to a client that has all of one that has ended. Throws like
 * `messages.events`, and `rate_limit_error` if too many streams are open.
 */
export async function streamAnswer(
  exchange: DoorExchange,
  { conversationId, messageId, last, decided }: SentAnswer,
): Promise<void> {
  const params = { cId: conversationId, mId: messageId };
  const name = "messages.events";
  const source = await openLog(exchange, name, { params });
  const { lastSeq, closed } = await readLogEnd(exchange.context.database.db, source.logId);
  if (closed && last !== undefined && last.seq >= lastSeq) {
    await exchange.reply.code(204).send();
    return;
  }
  // The end of the log first: what is asked for after it was not decided before.
  const actionIds = closed ? [] : await findWaiting(exchange, conversationId);
  const waiting = { actionIds: new Set(actionIds), lastSeq };
  const codec = createAnswerCodec({ conversationId, messageId, waiting, last, decided });
  const { isKnown } = codec;
  // The codec needs every event, to know when it has those that there are.
  const whole = { ...source, hidden: new Set<string>() };
  // To the SDK, a stream that ends is an answer that has ended.
  const sent = { name, source: whole, codec, isKnown, withIds: true, headers, mustBeWhole: true };
  sendEvents(exchange, sent);
}

async function findWaiting(exchange: DoorExchange, cId: string): Promise<string[]> {
  const call = { params: { cId } };
  const listed = await callEndpoint(exchange, "conversations.listBlockedActions", call);
  return listed.blockedActions.map(({ actionId }) => actionId);
}
