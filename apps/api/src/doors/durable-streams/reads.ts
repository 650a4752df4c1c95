import { createHash } from "node:crypto";
import type { LogStream } from "@parley/core";
import { type ErrorType, ParleyError } from "@parley/schema";
import type { FastifyReply } from "fastify";
import { namesTag } from "../../http/conditional.ts";
import { startStream } from "../../transports/sse.ts";
import type { EncodeFrames } from "../../transports/sse-frames.ts";
import type { DoorExchange } from "../door.ts";
import { type Chunk, chunkHeaders, formatChunk, type ReadFrom, toChunk } from "./chunks.ts";
import { nextCursor } from "./cursors.ts";
import { waitForChunk } from "./long-poll.ts";
import { MAX_SEQ, parseOffset } from "./offsets.ts";

/** How long a wait is at most, and by default. */
const MAX_WAIT_MS = 20_000;
const JSON_TYPE = "application/json";

/** What a reader asks for. */
export interface Query {
  readonly offset?: string;
  readonly live?: "long-poll" | "sse";
  readonly cursor?: string;
}

/** A read of a log. */
export interface Read {
  readonly exchange: DoorExchange;
  readonly query: Query;
  readonly source: LogStream;
  /** Name of the log's own stream. */
  readonly name: string;
  /** The error for a log that was deleted. */
  readonly gone: ErrorType;
}

/** A page after an offset. */
async function readFrom(
  { exchange, source, gone }: Read,
  offset: string | undefined,
): Promise<ReadFrom & { readonly chunk: Chunk }> {
  const from = offset === "now" ? MAX_SEQ : parseOffset(offset, MAX_SEQ);
  const end = await exchange.services.core.hub.read(source.logId, from);
  if (end === undefined) throw new ParleyError(gone, "It was deleted");
  const after = parseOffset(offset, end.lastSeq);
  return { after, end, chunk: toChunk(source, end.events, { after, end }) };
}

/** Says where a log ends, and whether it is closed. */
export async function describe(read: Read): Promise<void> {
  const { chunk } = await readFrom(read, "now");
  const headers = chunkHeaders({ ...chunk, isUpToDate: false });
  void read.exchange.reply
    .headers({ ...headers, "content-type": JSON_TYPE, "cache-control": "no-store" })
    .send(Buffer.alloc(0));
}

/** Sends the next page at once, or 304 to a client that has it. */
export async function catchUp(read: Read): Promise<void> {
  const { request, reply } = read.exchange;
  const { offset } = read.query;
  const { chunk } = await readFrom(read, offset);
  const headers = chunkHeaders(chunk);
  reply.headers(headers);
  if (offset === "now") return sendChunk(reply, chunk, "no-store");
  const etag = tagOf(headers, chunk.json);
  const others = reply.getHeader("vary");
  reply.headers({
    etag,
    vary: others === undefined ? "Authorization" : `${String(others)}, Authorization`,
  });
  // A page before the end stays as it is until its log is compacted or deleted.
  const cacheControl = chunk.isUpToDate ? "private, no-cache" : "private, max-age=60";
  if (!namesTag(request.headers["if-none-match"], etag)) {
    return sendChunk(reply, chunk, cacheControl);
  }
  void reply.code(304).header("cache-control", cacheControl).send();
}

/** Of the bytes and of what the headers say about them: a log may be closed by an event that its reader does not get. */
function tagOf(headers: Readonly<Record<string, string>>, json: string): string {
  const hash = createHash("sha256").update(JSON.stringify(headers)).update(json);
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

function sendChunk(reply: FastifyReply, { json }: Chunk, cacheControl: string): void {
  void reply
    .headers({ "content-type": JSON_TYPE, "cache-control": cacheControl })
    .send(Buffer.from(json));
}

/** Sends the next page, and waits for it at the end of an open log. */
export async function poll(read: Read): Promise<void> {
  const { exchange, source, name, query } = read;
  const { preferredWaitMs = MAX_WAIT_MS } = exchange.context;
  const { end, chunk: first } = await readFrom(read, query.offset);
  let chunk = first;
  if (chunk.count === 0 && chunk.isUpToDate && !chunk.isClosed) {
    const waitMs = Math.min(preferredWaitMs, MAX_WAIT_MS);
    chunk = await waitForChunk(exchange, { name, source, after: chunk.nextSeq, end, waitMs });
  }
  const { reply } = exchange;
  reply.headers(chunkHeaders(chunk, cursorOf(read)));
  if (chunk.count > 0 || !chunk.isUpToDate) return sendChunk(reply, chunk, "no-store");
  void reply.code(204).header("cache-control", "no-store").send();
}

/** Sends a log as Server-Sent Events until it is closed. */
export async function follow(read: Read): Promise<void> {
  const { exchange, source, name, query } = read;
  const { services, request, reply } = exchange;
  const cursor = cursorOf(read);
  const { end: page, chunk } = await readFrom(read, "now");
  const { lastSeq, closed } = page;
  // Without the page: an open stream would hold it in memory.
  const end = { lastSeq, closed };
  const after = parseOffset(query.offset, lastSeq);
  const isAtEnd = after >= lastSeq;
  const headers = { "Content-Type": "text/event-stream" };
  const opening = Buffer.from(isAtEnd ? formatChunk(chunk, cursor) : "");
  if (isAtEnd && chunk.isClosed) {
    void reply.headers({ ...headers, "cache-control": "no-cache, no-transform" }).send(opening);
    return;
  }
  let seq = after;
  const encode: EncodeFrames = (events) => {
    const next = toChunk(source, events, { after: seq, end });
    seq = next.nextSeq;
    const bytes = Buffer.from(formatChunk(next, cursor));
    return { bytes, count: next.count, isLast: next.isClosed };
  };
  const beginning = { bytes: opening, count: 0 };
  const stream = { name, source, after, isResumed: after > 0, encode, beginning, headers };
  startStream(services, stream, { request, reply });
}

function cursorOf({ exchange, query }: Read): string {
  const { now, random } = exchange.services.core;
  return nextCursor(query.cursor, { now: now(), random: random() });
}
