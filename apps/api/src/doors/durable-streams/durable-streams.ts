// The reads of the Durable Streams protocol: a log's own stream as pages of JSON, as waits for the next events, and
// as Server-Sent Events. Its writes have no routes: only the server appends to a log.
import { createHash } from "node:crypto";
import type { LogStream, RequestContext, WorkspaceCaller } from "@parley/core";
import { authorizeWorkspace } from "@parley/rpc";
import {
  doors,
  type DoorEndpoint,
  type ErrorType,
  HttpInput,
  invalidRequest,
  parseInput,
  ParleyError,
} from "@parley/schema";
import type { FastifyInstance, FastifyReply } from "fastify";
import { namesTag } from "../../http/conditional.ts";
import { authenticate } from "../../requests/authenticate.ts";
import { charge } from "../../requests/charge-request.ts";
import { requestContext } from "../../requests/procedure-context.ts";
import type { ApiServices, Exchange } from "../../services.ts";
import { endpointsOfKind, routePath } from "../../transports/endpoints-of-kind.ts";
import { startStream } from "../../transports/sse.ts";
import { type Chunk, chunkHeaders, formatChunk, type ReadFrom, toChunk } from "./chunks.ts";
import { nextCursor } from "./cursors.ts";
import { MAX_SEQ, parseOffset } from "./offsets.ts";
import { waitForChunk } from "./long-poll.ts";

/** How long a wait is at most, and by default. */
const MAX_WAIT_MS = 20_000;
const JSON_TYPE = "application/json";
/** Finding a log is short, so it is never aborted. */
const neverAborted = new AbortController().signal;

/** The streams that are read, each with the name of the log's own stream. */
const logs = {
  "conversations.stream": { own: "conversations.events", gone: "conversation_not_found" },
  "messages.stream": { own: "messages.events", gone: "message_not_found" },
  "sandboxFunctions.stream": {
    own: "sandboxFunctions.events",
    gone: "sandbox_function_invocation_not_found",
  },
} as const;

type FindLog = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<LogStream>;

interface Query {
  readonly wId: string;
  readonly offset?: string;
  readonly live?: "long-poll" | "sse";
  readonly cursor?: string;
}

interface Read {
  readonly services: ApiServices;
  readonly exchange: Exchange;
  readonly query: Query;
  readonly source: LogStream;
  /** Name of the log's own stream. */
  readonly own: string;
  readonly gone: ErrorType;
  readonly preferredWaitMs: number | undefined;
}

/** Serves every log as a stream of the protocol, with the checks and limits of its own stream. */
export function registerDurableStreams(app: FastifyInstance, services: ApiServices): void {
  const finders = new Map(
    endpointsOfKind("stream").map(({ name, implementation }) => [name, implementation as FindLog]),
  );
  for (const [name, { own, gone }] of Object.entries(logs)) {
    const endpoint: DoorEndpoint = doors[name as keyof typeof logs];
    const find = finders.get(own);
    if (find === undefined) throw new Error(`There is no stream ${own}`);
    app.route({
      method: ["GET", "HEAD"],
      url: routePath(endpoint.path),
      onRequest: async (request, reply) => {
        await authenticate(services, request);
        const { live } = request.query as { live?: unknown };
        const rateLimit = live === undefined ? "read" : "stream";
        await charge(services, { rateLimit }, { request, reply });
      },
      handler: async (request, reply) => {
        const context = requestContext(services, request, { signal: neverAborted });
        const { params, query } = request;
        const input: unknown = parseInput(endpoint, new HttpInput({ params, query, body: undefined }));
        // As the row of the door parses it.
        const parsed = input as Query;
        if (parsed.live !== undefined && parsed.offset === undefined) throw offsetRequired();
        // The input of each finder is a part of its door's.
        const source = await find(
          authorizeWorkspace(endpoint, context, parsed.wId),
          input as never,
        );
        const { preferredWaitMs } = context;
        const exchange = { request, reply };
        const read = { services, exchange, query: parsed, source, own, gone, preferredWaitMs };
        if (request.method === "HEAD") return describe(read);
        if (parsed.live === "sse") return follow(read);
        return parsed.live === "long-poll" ? poll(read) : catchUp(read);
      },
    });
  }
}

function offsetRequired(): ParleyError {
  return invalidRequest("query", [{ path: "offset", message: "is required with live" }]);
}

/** Reads a page after an offset. */
async function readFrom(read: Read, offset: string | undefined): Promise<ReadFrom & { chunk: Chunk }> {
  const { services, source, gone } = read;
  const from = offset === "now" ? MAX_SEQ : parseOffset(offset, MAX_SEQ);
  const end = await services.core.hub.read(source.logId, from);
  if (end === undefined) throw new ParleyError(gone, "It was deleted");
  const after = parseOffset(offset, end.lastSeq);
  return { after, end, chunk: toChunk(source, end.events, { after, end }) };
}

/** Says where a log ends, and whether it is closed. */
async function describe(read: Read): Promise<FastifyReply> {
  const { chunk } = await readFrom(read, "now");
  const { "Stream-Up-To-Date": _, ...headers } = chunkHeaders(chunk);
  return read.exchange.reply
    .headers({ ...headers, "Content-Type": JSON_TYPE, "Cache-Control": "no-store" })
    .send();
}

/** Sends the next page at once. */
async function catchUp(read: Read): Promise<FastifyReply> {
  const { request, reply } = read.exchange;
  const { offset } = read.query;
  const { chunk } = await readFrom(read, offset);
  const headers = chunkHeaders(chunk);
  reply.headers(headers);
  if (offset === "now") return sendChunk(reply, chunk);
  const etag = tagOf(headers, chunk.json);
  const vary = reply.getHeader("vary");
  reply.headers({
    ETag: etag,
    // A page before the end stays as it is until the log is compacted or deleted.
    "Cache-Control": chunk.isUpToDate ? "private, no-cache" : "private, max-age=60",
    Vary: vary === undefined ? "Authorization" : `${String(vary)}, Authorization`,
  });
  if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return sendChunk(reply, chunk);
}

/** Of the bytes and of what the headers say about them: a log can be closed without another event for the reader. */
function tagOf(headers: Readonly<Record<string, string>>, json: string): string {
  const hash = createHash("sha256").update(JSON.stringify(headers)).update(json);
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

function sendChunk(reply: FastifyReply, { json }: Chunk): FastifyReply {
  if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  return reply.header("content-type", JSON_TYPE).send(Buffer.from(json));
}

/** Sends the next page, and waits for it at the end of an open log. */
async function poll(read: Read): Promise<FastifyReply> {
  const { services, source, exchange, query, own: name, preferredWaitMs = MAX_WAIT_MS } = read;
  const { reply } = exchange;
  const { end, chunk: first } = await readFrom(read, query.offset);
  let chunk = first;
  if (chunk.count === 0 && chunk.isUpToDate && !chunk.isClosed) {
    const waitMs = Math.min(preferredWaitMs, MAX_WAIT_MS);
    const wait = { name, source, after: chunk.nextSeq, end, waitMs };
    chunk = await waitForChunk(services, wait, exchange);
  }
  reply.headers(chunkHeaders(chunk, cursorOf(read)));
  const isOver = chunk.count === 0 && chunk.isUpToDate;
  if (isOver) return reply.code(204).header("cache-control", "no-store").send();
  return sendChunk(reply, chunk);
}

/** Sends a log as Server-Sent Events until it is closed. */
async function follow(read: Read): Promise<FastifyReply | undefined> {
  const { services, source, exchange, query, own: name } = read;
  const cursor = cursorOf(read);
  const { after, end, chunk } = await readFrom(read, query.offset);
  const isAtEnd = after >= end.lastSeq;
  if (isAtEnd && chunk.isClosed) {
    return exchange.reply
      .headers({ "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" })
      .send(Buffer.from(formatChunk(chunk, cursor)));
  }
  let seq = after;
  const encode: Parameters<typeof startStream>[1]["encode"] = (events) => {
    const next = toChunk(source, events, { after: seq, end });
    seq = next.nextSeq;
    return { bytes: Buffer.from(formatChunk(next, cursor)), count: next.count };
  };
  const opening = isAtEnd ? formatChunk(chunk, cursor) : undefined;
  const stream = { name, source, after, withIds: after > 0, encode, opening };
  startStream(services, { ...stream, contentType: "text/event-stream" }, exchange);
  // A reply is a promise of its end: returning it would hold it in memory until then.
  return undefined;
}

function cursorOf({ services, query }: Read): string {
  const { now, random } = services.core;
  return nextCursor(query.cursor, { now: now(), random: random() });
}
