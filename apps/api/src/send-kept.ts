import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import type { KeptAnswer } from "./kept-answers.ts";

/** A shorter answer is sent as it is. */
const COMPRESSED_FROM_BYTES = 1024;

const encodings = ["gzip", "identity"];

/**
 * Sends a kept answer: 304 without a body to who has it already, else compressed to who takes that.
 */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: KeptAnswer,
): Promise<FastifyReply> {
  const { headers } = request;
  const vary = reply.getHeader("vary");
  const varies = "Authorization, Accept-Encoding";
  reply.header("etag", answer.etag);
  reply.header("cache-control", "private, no-cache");
  reply.header("vary", vary === undefined ? varies : `${String(vary)}, ${varies}`);
  if (namesTag(headers["if-none-match"], answer.etag)) return reply.code(304).send();
  reply.header("content-type", "application/json; charset=utf-8");
  if (answer.json.length <= COMPRESSED_FROM_BYTES || !takesGzip(headers["accept-encoding"])) {
    return reply.send(answer.json);
  }
  const compressed = await answer.gzip();
  return reply.header("content-encoding", "gzip").send(compressed);
}

/**
 * Whether an `If-None-Match` names a tag, compared weakly (RFC 9110, 13.1.2). Libraries for it obey a
 * `Cache-Control: no-cache` beside it, which `fetch` sends of its own: it would never get a 304.
 */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}

function takesGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const negotiator = new Negotiator({ headers: { "accept-encoding": String(header) } });
  return negotiator.encodings(encodings)[0] === "gzip";
}
