import { followLog, type LogStream, readLogEnd } from "@parley/core";
import { startStream } from "../transports/sse.ts";
import { type EventCodec, encodeThrough, type FramePlace } from "./event-codec.ts";
import type { DoorExchange } from "./door.ts";

interface SentEvents<Event> {
  /** The name of the endpoint whose log it is, for the metrics. */
  readonly name: string;
  readonly source: LogStream;
  readonly codec: EventCodec<Event>;
  /** Whether the client has a frame already; by default it has none. */
  readonly isKnown?: ((place: FramePlace) => boolean) | undefined;
  readonly withIds?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is broken off where it would end before its last frame, as when the server is stopped. */
  readonly mustBeWhole?: boolean;
}

/**
 * Sends a log through a codec as Server-Sent Events, until the codec or the log ends. Throws `rate_limit_error` if too
 * many streams are open; nothing is written then.
 */
export function sendEvents<Event>(
  { services, request, reply, place }: DoorExchange,
  { name, source, codec, isKnown, withIds = false, headers = {}, ...rest }: SentEvents<Event>,
): void {
  const { hidden } = source;
  const encoded = encodeThrough({ codec, hidden, isKnown, withIds });
  const isResumed = isKnown !== undefined;
  const stream = { name, source, after: 0, isResumed, headers, place, ...encoded, ...rest };
  startStream(services, stream, { request, reply });
}

/**
 * Reads a log through a codec until the codec or the log ends, the request's client goes, or the limit for blocking
 * requests is reached; with `onlySoFar`, what the log has now. What the codec has understood by then is its own to say.
 */
export async function readThrough<Event>(
  { context }: DoorExchange,
  { logId, hidden }: LogStream,
  codec: EventCodec<Event>,
  { onlySoFar = false }: { readonly onlySoFar?: boolean } = {},
): Promise<void> {
  const end = onlySoFar ? await readLogEnd(context.database.db, logId) : undefined;
  codec.begin?.();
  if (end?.lastSeq === 0) return;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), context.blockingTimeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    for await (const events of followLog(context, { logId, after: 0, signal })) {
      for (const { seq, type, payload } of events) {
        // The log holds what its endpoint describes.
        if (!hidden.has(type)) codec.encode(JSON.parse(payload) as Event, seq);
        if (codec.isEnded || seq === end?.lastSeq) return;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
