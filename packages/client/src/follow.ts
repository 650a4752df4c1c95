import { delayBefore, isRetryable, wait } from "./backoff.ts";
import type { Caller } from "./call-endpoint.ts";
import { brokenConnection } from "./connection.ts";
import { ParleyError } from "./errors.ts";
import { limitTime } from "./limit-time.ts";
import { terminalEventTypes } from "./schema-tables.ts";
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Longest frame, in characters; those of the server carry an answer of some MiB at most. */
const MAX_FRAME_CHARACTERS = 64 * 1024 * 1024;

/**
 * Yields the frames of a Server-Sent Events stream. A chunk is read once the frames of the previous one
 * are consumed, so a slow reader slows the server down. Throws `connection_failed` when the connection
 * breaks, or is silent for `idleTimeoutMs` during a read.
 */
async function* readFrames(
  body: ReadableStream<Uint8Array>,
  { idleTimeoutMs, onAlive }: { idleTimeoutMs: number; onAlive: () => void },
): AsyncGenerator<EventSourceMessage, void, undefined> {
  let frames: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (frame) => void frames.push(frame),
    onComment: onAlive,
    maxBufferSize: MAX_FRAME_CHARACTERS,
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(idleTimeoutMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const complete = frames;
      frames = [];
      for (const frame of complete) {
        onAlive();
        yield frame;
      }
    }
  } catch (error) {
    throw error instanceof ParleyError ? error : brokenConnection(error);
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function within<T>(idleTimeoutMs: number, read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    if (idleTimeoutMs >= 2 ** 31) return;
    timer = setTimeout(() => {
      const message = `Nothing came from the server for ${idleTimeoutMs} ms`;
      reject(new ParleyError("connection_failed", message));
    }, idleTimeoutMs);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Three of the server's heartbeats, which come every 15 s. */
const IDLE_TIMEOUT_MS = 45_000;
const RECONNECT_FOR_MS = 300_000;
const MAX_RETRY_AFTER_MS = 60_000;

/** The state of a follower's connection. */
export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "open" }
  /** The connection broke and is reopened after a delay; without an error, the server ended it. */
  | { readonly status: "waiting"; readonly delayMs: number; readonly error?: ParleyError }
  | { readonly status: "closed" };

/** How a stream is followed; each member has a default. */
export interface FollowOptions {
  /** Ends the follower, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Begins after this event, which an earlier follower had as its `lastEventId`. */
  readonly lastEventId?: string | undefined;
  /** Called whenever the state of the connection changes. */
  readonly onState?: ((state: ConnectionState) => void) | undefined;
  /** A connection that is silent for so long is reopened; 45 s by default. */
  readonly idleTimeoutMs?: number | undefined;
  /** How long it tries to reconnect before it throws; 5 minutes by default. */
  readonly reconnectForMs?: number | undefined;
}

/** The events of a stream, each once and in order, across connections. It can be iterated once. */
export interface Follower<E> extends AsyncIterableIterator<E, undefined, undefined> {
  /** Id of the last event that it yielded; another follower can begin after it. */
  readonly lastEventId: string;
  readonly state: ConnectionState;
}

interface Stream {
  /** With a query in it, or none. */
  readonly path: string;
  /** Whether each event is sent as `{eventId, data}`; by default not. */
  readonly isEnveloped?: boolean;
  /** The data of the frame that ends it, if events have no numbers; else an event of a terminal type does. */
  readonly end?: string;
}

/**
 * Follows a stream to its terminal event. A broken connection is reopened after the last event that
 * came; nothing is read ahead of the consumer. Throws `ParleyError` when the server refuses or is
 * unreachable for too long.
 */
export function follow<E extends object>(
  { send }: Caller,
  { path, isEnveloped = false, end }: Stream,
  options: FollowOptions = {},
): Follower<E> {
  const { idleTimeoutMs = IDLE_TIMEOUT_MS, reconnectForMs = RECONNECT_FOR_MS } = options;
  const closing = new AbortController();
  let state: ConnectionState = { status: "connecting" };
  let lastEventId = options.lastEventId ?? "0";
  let failures = 0;
  let awaySince: number | undefined;

  const setState = (next: ConnectionState): void => {
    if (state.status === "closed") return;
    state = next;
    options.onState?.(next);
  };
  const markAlive = (): void => {
    failures = 0;
    awaySince = undefined;
  };

  /** Yields the events of one connection; returns true if the stream has ended. */
  async function* connect(): AsyncGenerator<E, boolean, undefined> {
    setState({ status: "connecting" });
    const limit = limitTime(closing.signal, CONNECT_TIMEOUT_MS);
    try {
      const query = `${path.includes("?") ? "&" : "?"}lastEventId=${encodeURIComponent(lastEventId)}`;
      const headers = { accept: "text/event-stream" };
      const request = { method: "GET", path: path + query, headers };
      const response = await send(request, limit.signal).catch((error: unknown) => {
        throw isTimeOut(error) ? brokenConnection(error) : error;
      });
      limit.lift();
      if (response.status === 204) return true;
      requireEventStream(response);
      setState({ status: "open" });
      for await (const { id, data } of readFrames(response.body, {
        idleTimeoutMs,
        onAlive: markAlive,
      })) {
        if (data === end) return true;
        // The server's events are those of the endpoint table.
        const event = parseEvent(data, isEnveloped) as E;
        const isTerminal = "type" in event && terminalEventTypes.includes(String(event.type));
        // A finished message repeats its last event, whatever the request's last event id.
        const isNumbered = end === undefined && !isTerminal && id !== undefined;
        if (isNumbered && Number(id) <= Number(lastEventId)) continue;
        lastEventId = id ?? lastEventId;
        yield event;
        if (isTerminal) return true;
      }
      return false;
    } finally {
      limit.clear();
    }
  }

  async function* followAll(): AsyncGenerator<E, undefined, undefined> {
    const stop = (): void => closing.abort(options.signal?.reason);
    if (options.signal?.aborted) stop();
    else options.signal?.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        let error: ParleyError | undefined;
        try {
          closing.signal.throwIfAborted();
          if (yield* connect()) return;
        } catch (cause) {
          closing.signal.throwIfAborted();
          if (!isRetryable(cause)) throw cause;
          error = cause;
        }
        awaySince ??= performance.now();
        const retryAfterMs = Math.min(error?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
        const delayMs = delayBefore(failures++, { retryAfterMs });
        if (performance.now() - awaySince + delayMs > reconnectForMs) {
          throw error ?? brokenConnection(new Error("The stream ended before its last event"));
        }
        setState({ status: "waiting", delayMs, ...(error && { error }) });
        await wait(delayMs, closing.signal);
      }
    } catch (error) {
      // A consumer that has left expects no error.
      if (error !== returned) throw error;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      setState({ status: "closed" });
    }
  }

  const events = followAll();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => events.next(),
    return: () => {
      // The next event may never come.
      closing.abort(returned);
      // A generator that was never started does not run its `finally`.
      setState({ status: "closed" });
      return events.return(undefined);
    },
    get lastEventId() {
      return lastEventId;
    },
    get state() {
      return state;
    },
  };
}

/** Reason of a follower's end when its consumer has left. */
const returned = Symbol("returned");

function isTimeOut(error: unknown): boolean {
  return error instanceof ParleyError && error.type === "timed_out";
}

function requireEventStream(
  response: Response,
): asserts response is Response & { readonly body: ReadableStream<Uint8Array> } {
  const { status, headers, body } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream");
  if (body && isStream) return;
  body?.cancel().catch(() => {});
  const message = isStream
    ? "Use a fetch that streams"
    : "The server's answer is not an event stream";
  throw new ParleyError("unexpected_response_format", message, { status });
}

function parseEvent(data: string, isEnveloped: boolean): unknown {
  try {
    const frame = JSON.parse(data) as { readonly data?: unknown };
    return isEnveloped ? frame.data : frame;
  } catch (cause) {
    throw brokenConnection(cause);
  }
}

/** A chunk of the UI message stream of the AI SDK, of which the server's version decides the members. */
export interface AnswerChunk {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Follows the stream of an answer as chunks of the AI SDK, like `follow`, to where that stream ends. */
export function followChunks(
  caller: Caller,
  path: string,
  options?: FollowOptions,
): Follower<AnswerChunk> {
  return follow(caller, { path: `${path}?format=ai-sdk`, end: "[DONE]" }, options);
}
