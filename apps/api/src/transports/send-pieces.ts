import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { createFairPlaces } from "@parley/fair-queue";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { UnreadResponses } from "../limits/unread-responses.ts";
import { jsonPieces } from "./json-pieces.ts";

/** What is written of a response at once. */
const PIECE_BYTES = 64 * 1024;
/** Memory of a piece's source beside its bytes: the rows that it is made of, and its text. */
const SOURCE_FACTOR = 2;

/**
 * Sends bytes no faster than the client reads them, in pieces of at most 64 KiB: the next ones are asked
 * for once those before are written.
 */
export function sendPieces(
  unread: UnreadResponses,
  reply: FastifyReply,
  source: AsyncIterable<Uint8Array | string>,
): FastifyReply {
  return reply.send(inPieces(unread, reply.raw, source));
}

/** Makes every long response one that is sent in pieces, whatever sends it; events are written as they come. */
export function sendAllInPieces(app: FastifyInstance, unread: UnreadResponses): void {
  app.addHook("onSend", async (request, reply, payload) => {
    const whole = payload instanceof Response ? await takeWhole(reply, payload) : payload;
    if (!isLongText(whole) || request.method === "HEAD") return whole;
    const bytes = typeof whole === "string" ? Buffer.from(whole) : whole;
    reply.header("content-length", bytes.length);
    return inPieces(unread, reply.raw, [bytes]);
  });
}

const isLongText = (payload: unknown): payload is string | Buffer =>
  (typeof payload === "string" || Buffer.isBuffer(payload)) && payload.length > PIECE_BYTES;

/** The body of a web response, as text unless it comes in parts; the reply takes its status and headers. */
async function takeWhole(reply: FastifyReply, response: Response): Promise<unknown> {
  const { status, headers, body } = response;
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  return isJson ? response.text() : body;
}

function inPieces(
  unread: UnreadResponses,
  response: ServerResponse,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
): Readable {
  return Readable.from(cut(unread, response, source), { objectMode: false, highWaterMark: 1 });
}

async function* cut(
  unread: UnreadResponses,
  response: ServerResponse,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of source) {
    // As bytes, because a cut could split a character.
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    unread.hold(response, SOURCE_FACTOR * bytes.length);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** Sends a response as JSON while it is serialized. */
export function sendJsonPieces(
  unread: UnreadResponses,
  reply: FastifyReply,
  output: unknown,
): FastifyReply {
  reply.type("application/json; charset=utf-8");
  if (reply.request.method === "HEAD") return reply.send("");
  return sendPieces(unread, reply, inTurn(reply, output));
}

/** Responses that are under way: each holds rows in memory; half of them are a workspace's at most. */
const MAX_UNDER_WAY = 128;
/** Pieces that are serialized at once, of all responses, and the pause after each. */
const MAX_ACTIVE = 2;
const PAUSE_MS = 2;

const places = createFairPlaces(MAX_UNDER_WAY);
let active = 0;
/** Responses that wait to serialize their next piece. */
const waiting: (() => void)[] = [];

/** Serializes with pauses, so that many long responses do not delay short ones. */
async function* inTurn(
  { request, raw }: FastifyReply,
  output: unknown,
): AsyncGenerator<string, void, undefined> {
  const closed = new AbortController();
  raw.once("close", () => closed.abort());
  const { caller } = request;
  const leave = await places.enter(
    caller?.kind === "workspace" ? caller.workspace.id : 0,
    closed.signal,
  );
  const pieces = jsonPieces(output);
  try {
    for (;;) {
      if (active < MAX_ACTIVE) active++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      const next = await pieces.next().finally(() => setTimeout(passOn, PAUSE_MS));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    leave();
    await pieces.return();
  }
}

function passOn(): void {
  const next = waiting.shift();
  if (next === undefined) active--;
  else next();
}
