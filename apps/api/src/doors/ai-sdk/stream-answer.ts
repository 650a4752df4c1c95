import { type LogStream, readLogEnd } from "@parley/core";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, openLog } from "../door.ts";
import { type FramePlace, isUpTo } from "../event-codec.ts";
import { badPlace } from "../last-place.ts";
import { readThrough, sendEvents } from "../send-events.ts";
import { createAnswerCodec } from "./answer-codec.ts";
import { readChat } from "./chats.ts";

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
 * `messages.events`, `invalid_request_error` for a frame that there is not yet, and `rate_limit_error` if too many
 * streams are open.
 */
export async function streamAnswer(
  exchange: DoorExchange,
  { conversationId, messageId, last, decided }: SentAnswer,
): Promise<void> {
  const params = { cId: conversationId, mId: messageId };
  const name = "messages.events";
  const source = await openLog(exchange, name, { params });
  const { lastSeq, closed } = await readLogEnd(exchange.context.database.db, source.logId);
  if (last !== undefined && last.seq >= lastSeq) {
    if (!closed && last.seq > lastSeq) throw badPlace();
    const end = closed ? await findEnd(exchange, source) : undefined;
    if (end !== undefined && isUpTo(end, last)) {
      await exchange.reply.code(204).send();
      return;
    }
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

/** The place of the last frame of an answer that has ended. */
async function findEnd(
  exchange: DoorExchange,
  source: LogStream,
): Promise<Pick<FramePlace, "seq" | "index">> {
  const waiting = { actionIds: new Set<string>(), lastSeq: Infinity };
  const codec = createAnswerCodec({ conversationId: "", messageId: "", waiting });
  let end = { seq: 0, index: 0 };
  const encode: typeof codec.encode = (event, seq) => {
    const frames = codec.encode(event, seq);
    end = { seq, index: frames.length - 1 };
    return frames;
  };
  await readThrough(exchange, source, {
    encode,
    get isEnded() {
      return codec.isEnded;
    },
  });
  return end;
}

async function findWaiting(exchange: DoorExchange, cId: string): Promise<string[]> {
  const call = { params: { cId } };
  const listed = await callEndpoint(exchange, "conversations.listBlockedActions", call);
  const answer = (await readChat(exchange, cId))?.last;
  const ofPage = (answer?.actions ?? []).filter(
    ({ status }) => status === "blocked_client_output_required",
  );
  return [
    ...listed.blockedActions.map(({ actionId }) => actionId),
    ...ofPage.map(({ sId }) => sId),
  ];
}
