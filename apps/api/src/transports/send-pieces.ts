import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
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
  const pieces = cut(unread, reply.raw, source);
  return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 1 }));
}

async function* cut(
  unread: UnreadResponses,
  response: ServerResponse,
  source: AsyncIterable<Uint8Array | string>,
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
  return sendPieces(unread, reply, inTurn(output));
}

/** Pieces that are serialized at once, of all responses, and the pause after each. */
const MAX_ACTIVE = 2;
const PAUSE_MS = 2;

let active = 0;
/** Responses that wait to serialize their next piece. */
const waiting: (() => void)[] = [];

/** Serializes with pauses, so that many long responses do not delay short ones. */
async function* inTurn(output: unknown): AsyncGenerator<string, void, undefined> {
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
    await pieces.return();
  }
}

function passOn(): void {
  const next = waiting.shift();
  if (next === undefined) active--;
  else next();
}
