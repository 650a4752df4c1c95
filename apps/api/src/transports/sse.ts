import type { ServerResponse } from "node:http";
import {
  followTasks,
  type LogStream,
  parsePlaces,
  seesAllOfWorkspace,
  type StoredEvent,
  type TaskPlaces,
} from "@parley/core";
import type { FastifyRequest } from "fastify";
import { cutOff, type StallWatch, watchStall } from "../http/stalled-readers.ts";
import type { StreamPlace } from "../limits/open-streams.ts";
import { payerOf } from "../limits/payer.ts";
import { workspaceCallerOf } from "../requests/authenticate.ts";
import type { ApiServices, Exchange } from "../services.ts";
import type { EncodeFrames, Frames } from "./sse-frames.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(": ping\n\n");

/** Where a stream is to start. */
interface Resume {
  /** Number of the last event that the client has; 0 for none. */
  readonly cursor: number;
  /** Those of the tasks of an answer; none for most streams. */
  readonly below?: TaskPlaces;
  /** Whether the client resumes, and so wants `id:` lines. */
  readonly withIds: boolean;
}

/** Reads `Last-Event-ID` and `lastEventId`; the header wins. Throws `invalid_request_error`. */
export function parseResume(request: Pick<FastifyRequest, "headers" | "query">): Resume {
  const header = request.headers["last-event-id"];
  const { lastEventId } = request.query as { lastEventId?: unknown };
  const value = header ?? lastEventId;
  if (value === undefined) return { cursor: 0, withIds: false };
  const { cursor, below } = parsePlaces(value);
  return { cursor, withIds: true, ...(below.size > 0 && { below }) };
}

/** A stream to send. */
interface NewStream {
  /** The endpoint's name in the table. */
  readonly name: string;
  readonly source: LogStream;
  /** Number of the event after which it begins. */
  readonly after: number;
  /** The numbers of the events of tasks that its client has. */
  readonly below?: TaskPlaces | undefined;
  /** Whether its client had a part of it before. */
  readonly isResumed: boolean;
  readonly encode: EncodeFrames;
  /** What is written before the first event. */
  readonly beginning?: Frames;
  /** Gives what is written after the last frames, once there are any. */
  readonly finish?: (() => Promise<Frames>) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is broken off where it would end before its last frame: a client takes an end for that. */
  readonly mustBeWhole?: boolean;
  /** Its place among the open streams, if one is reserved. */
  readonly place?: StreamPlace | undefined;
}

export type { StreamPlace };

/** Reserves the place of a stream that the request is going to be answered with. Throws `rate_limit_error`. */
export const reserveStream = (
  { openStreams }: Pick<ApiServices, "openStreams">,
  { request }: Pick<Exchange, "request">,
): StreamPlace => openStreams.reserve(payerOf(workspaceCallerOf(request)));

/**
 * Sends a log as Server-Sent Events, until its terminal event or an earlier end. Throws
 * `rate_limit_error` if too many streams are open; nothing is written then.
 */
export function startStream(
  { core, settings, openStreams, metrics, logger }: ApiServices,
  { name, source, after, isResumed, encode, finish, beginning, headers, ...rest }: NewStream,
  { request, reply }: Exchange,
): void {
  // No closure below may refer to the request or the reply: an open stream would hold them in memory.
  const { authorization } = request.headers;
  const { id: requestId } = request;
  const response = reply.raw;
  let ended = false;
  let isWhole = rest.mustBeWhole !== true;
  const counts = metrics.streams.of(name, "sse");
  const { space } = source;
  const caller = workspaceCallerOf(request);
  const { workspaceId } = payerOf(caller);
  const stream = {
    name,
    ...payerOf(caller),
    authorization,
    seesAll: seesAllOfWorkspace(caller),
    space,
    counts,
    isResumed,
    end,
  };
  const release = openStreams.open(stream, rest.place);
  reply.hijack();
  letGoOfReply(response);
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  reply.answered();
  const { logId, idleTimeoutMs } = source;
  const idle = idleTimeoutMs === undefined ? undefined : setTimeout(end, idleTimeoutMs);
  // Created only for streams that stall: idle ones are many.
  let stall: StallWatch | undefined;
  const watch = (): void => {
    stall ??= watchStall(response, settings.PARLEY_STREAM_STALL_MS, () => {
      metrics.streams.evicted(name, "stalled");
      cutOff(response);
    });
    stall.start();
  };
  const heartbeat = setInterval(() => {
    if (response.writableLength === 0) response.write(HEARTBEAT);
    else watch();
  }, HEARTBEAT_MS);
  const write = ({ bytes, count }: Frames): void => {
    if (bytes.length > 0) response.write(bytes);
    counts.sent += count;
  };
  if (beginning !== undefined) write(beginning);
  let isOver = false;
  const take = (events: readonly StoredEvent[]): boolean => {
    idle?.refresh();
    if (ended || isOver) return true;
    const frames = encode(events);
    write(frames);
    if (frames.isLast === true) endWith();
    if (response.writableLength <= settings.PARLEY_STREAM_BUFFER_BYTES) return true;
    counts.fedFromLog++;
    // From now on it is fed as its socket drains, and cut off when the socket stalls.
    watch();
    return false;
  };
  const fail = (error: unknown): void => {
    metrics.streams.evicted(name, "log_unreadable");
    logger.error({ err: error, logId, requestId, workspaceId }, "A stream broke");
    response.destroy();
  };
  // Deferred, because the end may come before `following` is set.
  const endSoon = () => void setImmediate(end);
  /** Ends the stream once what follows the last frames is read. */
  const endWith = (): void => {
    isOver = true;
    const complete = (frames?: Frames): void => {
      if (frames !== undefined && !ended) write(frames);
      isWhole = true;
      endSoon();
    };
    if (finish === undefined) complete();
    else finish().then(complete, fail);
  };
  const leave = (): void => {
    // The log has ended, but not yet what follows it.
    if (!isOver) endSoon();
  };
  const follower = { take, end: leave, fail };
  const { hidden } = source;
  const following =
    source.hasTasks === true
      ? followTasks(core, follower, { logId, after, hidden, below: rest.below ?? new Map() })
      : core.hub.follow(follower, { logId, after });
  response.on("drain", () => following.resume());
  response.once("close", () => {
    end();
    stall?.stop();
  });
  // The client may have disconnected already.
  if (response.destroyed) end();

  function end(): void {
    if (ended) return;
    ended = true;
    following.stop();
    release();
    clearTimeout(idle);
    clearInterval(heartbeat);
    if (isWhole) response.end();
    // Without the end of its last chunk, the response is incomplete.
    else response.socket?.destroySoon();
    if (!response.writableFinished) watch();
  }
}

/**
 * Removes Fastify's listener for the end of the response, which logs it and runs hooks; a stream has
 * neither. The listener would hold the request and the reply: 1.5 KB for each idle stream.
 */
function letGoOfReply(response: ServerResponse): void {
  for (const listener of response.listeners("error")) {
    // The same function listens to both events.
    response.off("finish", listener as () => void).off("error", listener as () => void);
  }
  response.on("error", ignoreError);
}

/** A write to a client that has disconnected: the stream's `close` follows. */
function ignoreError(): void {}
