import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import type { KeptAnswer } from "./kept-answers.ts";

/** A shorter answer is sent as it is. */
const COMPRESSED_FROM_BYTES = 1024;

const encodings = ["gzip", "identity"];
const JSON_TYPE = "application/json; charset=utf-8";

/** How a kept answer is sent to who asks. */
export interface KeptResponse {
  readonly status: 200 | 304;
  /** Names and values in turn; `vary` leaves out what others vary it by. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

/** By what a kept answer varies, behind what others say. */
export function varyOf(others: string | undefined): string {
  const varies = "Authorization, Accept-Encoding";
  return others === undefined ? varies : `${others}, ${varies}`;
}

/**
 * Gives the form of a kept answer, at once unless it has to be compressed first: 304 without a body to
 * who has it already, else compressed to who takes that.
 */
export function formKept(
  asked: IncomingHttpHeaders,
  answer: KeptAnswer,
  vary: string,
): KeptResponse | Promise<KeptResponse> {
  const { etag, json } = answer;
  const headers = ["etag", etag, "cache-control", "private, no-cache", "vary", vary];
  if (namesTag(asked["if-none-match"], etag)) return { status: 304, headers, body: undefined };
  headers.push("content-type", JSON_TYPE);
  if (json.length <= COMPRESSED_FROM_BYTES || !takesGzip(asked["accept-encoding"])) {
    return withBody(headers, json);
  }
  headers.push("content-encoding", "gzip");
  const body = answer.gzip();
  if (body instanceof Promise) return body.then((compressed) => withBody(headers, compressed));
  return withBody(headers, body);
}

function withBody(headers: readonly string[], body: Buffer): KeptResponse {
  return { status: 200, headers: [...headers, "content-length", String(body.length)], body };
}

/** Sends a kept answer in the form that fits. */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: KeptAnswer,
): Promise<FastifyReply> {
  const others = reply.getHeader("vary");
  reply.removeHeader("vary");
  const vary = varyOf(others === undefined ? undefined : String(others));
  const { status, headers, body } = await formKept(request.headers, answer, vary);
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? "", headers[index + 1]);
  }
  return reply.code(status).send(body);
}

/**
 * Whether an `If-None-Match` names a tag, compared weakly (RFC 9110, 13.1.2). Libraries for it obey a
 * `Cache-Control: no-cache` beside it, which `fetch` sends of its own: it would never get a 304.
 */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}

/** What is known of an `Accept-Encoding`: clients send few different ones. */
const known = new LRUCache<string, boolean>({ max: 100 });

function takesGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = String(header);
  let takes = known.get(text);
  if (takes === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": text } });
    takes = negotiator.encodings(encodings)[0] === "gzip";
    known.set(text, takes);
  }
  return takes;
}
