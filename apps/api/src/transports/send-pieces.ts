import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { jsonPieces } from "./json-pieces.ts";

/**
 * Sends a response as JSON while it is serialized, no faster than the client reads it. A client that
 * reads nothing for `idleMs` is cut off.
 */
export function sendPieces(reply: FastifyReply, output: unknown, idleMs: number): FastifyReply {
  reply.type("application/json; charset=utf-8");
  if (reply.request.method === "HEAD") return reply.send("");
  reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
  return reply.send(Readable.from(inTurn(output), { objectMode: false, highWaterMark: 1 }));
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
