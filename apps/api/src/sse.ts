import type { ServerResponse } from "node:http";
import { type LogStream, parseCursor, type StoredEvent } from "@parley/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameEncoder } from "./frames.ts";
import type { ApiServices } from "./requests.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(": ping\n\n");

/** How a stream was asked for. */
interface Resume {
  /** Number of the last event that the client has; 0 for none. */
  readonly cursor: number;
  /** Whether the client resumes, and so wants `id:` lines. */
  readonly withIds: boolean;
}

/** Reads `Last-Event-ID` and `lastEventId`; the header wins. Throws `invalid_request_error`. */
export function parseResume(request: Pick<FastifyRequest, "headers" | "query">): Resume {
  const header = request.headers["last-event-id"];
  const { lastEventId } = request.query as { lastEventId?: unknown };
  const value = header ?? lastEventId;
  if (value === undefined) return { cursor: 0, withIds: false };
  return { cursor: parseCursor(value), withIds: true };
}

/** A stream that a client is about to be sent. */
export interface NewStream {
  /** The endpoint's name in the table. */
  readonly name: string;
  readonly source: LogStream;
  /** Number of the event behind which it begins. */
  readonly after: number;
  readonly withIds: boolean;
  readonly keyId: string;
  /** The credential, which is checked again while the stream is open. */
  readonly authorization: string | undefined;
  /** What is logged of the stream says this too. */
  readonly about: { readonly requestId: string; readonly workspaceId: string | undefined };
}

/**
 * Answers with a log as Server-Sent Events, until its terminal event or whatever ends it before.
 * Throws `rate_limit_error` where there is no place for another stream; nothing is written then.
 */
export function startStream(
  { core, settings, openStreams, metrics, logger }: ApiServices,
  { name, source, after, withIds, keyId, authorization, about }: NewStream,
  reply: FastifyReply,
): void {
  // Of the request and the reply, nothing is kept for the time that the stream is open.
  const response = reply.raw;
  let ended = false;
  const counts = metrics.streams.of(name, "sse");
  const isResumed = withIds && after > 0;
  const release = openStreams.open({ name, keyId, authorization, counts, isResumed, end });
  reply.hijack();
  letGoOfReply(response);
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  });
  response.flushHeaders();
  reply.answered();
  const encode = frameEncoder(source, withIds);
  const { logId, idleTimeoutMs } = source;
  const idle = idleTimeoutMs === undefined ? undefined : setTimeout(end, idleTimeoutMs);
  const heartbeat = setInterval(() => {
    if (response.writableLength === 0) response.write(HEARTBEAT);
  }, HEARTBEAT_MS);
  const take = (events: readonly StoredEvent[]): boolean => {
    idle?.refresh();
    const frames = encode(events);
    if (frames.count > 0) response.write(frames.bytes);
    counts.sent += frames.count;
    if (response.writableLength <= settings.PARLEY_STREAM_BUFFER_BYTES) return true;
    counts.fedFromLog++;
    // From here on it is fed as its socket drains, and cut off when that takes nothing.
    response.setTimeout(settings.PARLEY_STREAM_STALL_MS);
    return false;
  };
  const fail = (error: unknown): void => {
    metrics.streams.evicted(name, "log_unreadable");
    logger.error({ err: error, logId, ...about }, "A stream broke");
    response.destroy();
  };
  // It may be told of the end before it has a hold on the log.
  const endSoon = () => void setImmediate(end);
  const following = core.hub.follow({ take, end: endSoon, fail }, { logId, after });
  response.on("drain", () => {
    response.setTimeout(0);
    following.resume();
  });
  response.on("timeout", () => {
    if (!response.writableFinished) metrics.streams.evicted(name, "stalled");
    response.destroy();
  });
  response.once("close", end);
  // The client may have gone while it was looked for.
  if (response.destroyed) end();

  function end(): void {
    if (ended) return;
    ended = true;
    following.stop();
    release();
    clearTimeout(idle);
    clearInterval(heartbeat);
    response.setTimeout(settings.PARLEY_STREAM_STALL_MS);
    response.end();
  }
}

/**
 * Fastify listens for the end of each response, to log it and to run hooks, of which a stream has
 * none. The listener holds the request and the reply: 1.5 KB of each idle stream.
 */
function letGoOfReply(response: ServerResponse): void {
  for (const listener of response.listeners("error")) {
    // It is the one that listens for both.
    response.off("finish", listener as () => void).off("error", listener as () => void);
  }
  response.on("error", ignoreError);
}

/** What is written to a client that has gone is nobody's loss: the close of its stream follows. */
function ignoreError(): void {}
