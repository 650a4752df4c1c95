import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { namesTag } from "../http/conditional.ts";
import type { CachedResponse } from "./response-cache.ts";

/** Shorter responses are not compressed. */
const COMPRESSED_FROM_BYTES = 1024;

const encodings = ["gzip", "identity"];
const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a cached response: 304 to clients that have it, compressed to those that accept gzip. */
export async function sendCached(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  response: CachedResponse,
): Promise<FastifyReply> {
  const { etag, json } = response;
  const others = reply.getHeader("vary");
  const vary = "Authorization, Accept-Encoding";
  reply
    .header("etag", etag)
    .header("cache-control", "private, no-cache")
    .header("vary", others === undefined ? vary : `${String(others)}, ${vary}`);
  if (namesTag(headers["if-none-match"], etag)) return reply.code(304).send();
  reply.header("content-type", JSON_TYPE);
  if (json.length <= COMPRESSED_FROM_BYTES || !acceptsGzip(headers["accept-encoding"])) {
    return reply.send(json);
  }
  return reply.header("content-encoding", "gzip").send(await response.gzip());
}

/** Parsed `Accept-Encoding` headers, of which clients send few different ones. */
const known = new LRUCache<string, boolean>({ max: 100 });

function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = String(header);
  let accepts = known.get(text);
  if (accepts === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": text } });
    accepts = negotiator.encodings(encodings)[0] === "gzip";
    known.set(text, accepts);
  }
  return accepts;
}
