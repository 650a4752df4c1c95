import { invalidRequest } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { cancelWithClient } from "../cancel-answer.ts";
import { detached, type DoorExchange, openLog } from "../door.ts";
import { readThrough, sendEvents } from "../send-events.ts";
import { type Described, describeResponse } from "./describe-response.ts";
import { createResponseCodec, type ResponseCodec } from "./response-codec.ts";
import type { ResponsePlace } from "./response-ids.ts";

/** A response whose answer was found. */
interface Found {
  readonly described: Described;
  readonly source: Awaited<ReturnType<typeof openLog>>;
}

const NAME = "messages.events";

function paramsOf({ conversationId, messageId }: ResponsePlace) {
  return { cId: conversationId, mId: messageId };
}

async function readDescribed(exchange: DoorExchange, place: ResponsePlace): Promise<Described> {
  const params = paramsOf(place);
  const { answer } = await callEndpoint(exchange, "messages.getAnswer", { params });
  // As it was stored: nothing is null.
  return { place, answer: answer as Described["answer"] };
}

async function find(exchange: DoorExchange, place: ResponsePlace): Promise<Found> {
  const described = await readDescribed(exchange, place);
  const params = paramsOf(place);
  const source = await openLog(exchange, NAME, { params, query: { include: "function_calls" } });
  return { described, source };
}

function openCodec({ described }: Found): ResponseCodec {
  return createResponseCodec(described.place, (state, output) =>
    describeResponse(described, state, output),
  );
}

/** The response with the tokens of its steps, which are counted by the time it has ended. */
async function describeNow(
  exchange: DoorExchange,
  found: Found,
  codec: ResponseCodec,
): Promise<object> {
  const { place, answer } = found.described;
  // What had ended when it was read first has all of its steps.
  const isFinal = !codec.isEnded || answer.status !== "created";
  const described = isFinal ? found.described : await readDescribed(exchange, place);
  return describeResponse(described, codec.state(), codec.output());
}

/** Waits for a response, as long as blocking requests may, and gives it as it then is; with `onlySoFar`, as it is. */
export async function readResponse(
  exchange: DoorExchange,
  place: ResponsePlace,
  options: { readonly onlySoFar?: boolean; readonly isTemporary?: boolean } = {},
): Promise<object> {
  if (options.isTemporary === true) cancelWithClient(exchange, place);
  const found = await find(exchange, place);
  const codec = openCodec(found);
  await readThrough(exchange, found.source, codec, options);
  return describeNow(exchange, found, codec);
}

interface StreamOptions {
  /** The number of the last event that the client has. */
  readonly startingAfter?: number | undefined;
  /** Whether the answer is cancelled with its client, because it is not stored. */
  readonly isTemporary?: boolean;
}

/** Streams a response, from its start or after the event of a number. */
export async function streamResponse(
  exchange: DoorExchange,
  place: ResponsePlace,
  { startingAfter, isTemporary = false }: StreamOptions = {},
): Promise<undefined> {
  if (isTemporary) cancelWithClient(exchange, place);
  const found = await find(exchange, place);
  const codec = openCodec(found);
  if (startingAfter !== undefined) await requireReached(exchange, found, startingAfter);
  // The request is over when its usage is read.
  const later = detached(exchange);
  sendEvents(exchange, {
    name: NAME,
    source: found.source,
    codec: {
      ...codec,
      get isEnded() {
        return codec.isEnded;
      },
      finish: async () => codec.end(await describeNow(later, found, codec)),
    },
    ...(startingAfter !== undefined && { isKnown: ({ count }) => count <= startingAfter }),
  });
  return undefined;
}

/** Throws `invalid_request_error` for a number past the end of a response that has ended. */
async function requireReached(
  exchange: DoorExchange,
  found: Found,
  startingAfter: number,
): Promise<void> {
  const codec = openCodec(found);
  await readThrough(exchange, found.source, codec, { onlySoFar: true });
  // The last event is the one that says how it ended.
  if (!codec.isEnded || startingAfter <= codec.next()) return;
  const message = "must be the number of an event that was received";
  throw invalidRequest("query", [{ path: "starting_after", message }]);
}
