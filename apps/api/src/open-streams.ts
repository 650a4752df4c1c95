import { setTimeout as sleep } from "node:timers/promises";
import type { Core, Credentials } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { ApiSettings } from "./config.ts";
import type { ApiMetrics } from "./metrics.ts";
import type { StreamCounts } from "./stream-counts.ts";

/** How soon a stream ends whose key was revoked in another process. */
const RECHECK_MS = 1000;
/** Between the ends of two streams at shutdown, where the time allows. */
const END_STEP_MS = 10;

export interface OpenStream {
  /** The endpoint's name in the table. */
  readonly name: string;
  readonly keyId: string;
  /** The credential, to be checked again as at the beginning. */
  readonly authorization: string | undefined;
  readonly counts: StreamCounts;
  readonly isResumed: boolean;
  /** Called with the refusal where the credential is refused. */
  readonly end: (refusal?: ParleyError) => void;
}

/** The open streams of a process: bounded, and ended when their key is refused. */
export interface OpenStreams {
  /** Takes a place until the returned function is called. Throws `rate_limit_error`. */
  open(stream: OpenStream): () => void;
  /** Ends all streams, spread over `withinMs` at most, so that their clients come back spread too. */
  close(withinMs: number): Promise<void>;
}

/** Keeps the open streams, at most so many of a key and of the process. */
export function createOpenStreams({
  core,
  credentials,
  settings,
  metrics,
}: {
  core: Core;
  credentials: Credentials;
  settings: ApiSettings;
  metrics: ApiMetrics;
}): OpenStreams {
  const ofKeys = new Map<string, Set<OpenStream>>();
  let count = 0;

  const recheck = async (streams: ReadonlySet<OpenStream>): Promise<void> => {
    const [first] = streams;
    try {
      if (first !== undefined) await credentials.authenticate(first.authorization);
    } catch (error) {
      // A database that cannot be reached says nothing about the key.
      if (!(error instanceof ParleyError) || error.status >= 500) return;
      for (const stream of streams) {
        metrics.streams.evicted(stream.name, "key_refused");
        stream.end(error);
      }
    }
  };
  const recheckAll = () => void Promise.all(ofKeys.values().map(recheck));
  const unsubscribe = core.bus.subscribe("keys", recheckAll);
  const timer = setInterval(recheckAll, RECHECK_MS);
  timer.unref();

  return {
    open: (stream) => {
      const ofKey = ofKeys.getOrInsertComputed(stream.keyId, () => new Set());
      if (
        count >= settings.PARLEY_MAX_STREAMS ||
        ofKey.size >= settings.PARLEY_MAX_STREAMS_PER_KEY
      ) {
        if (ofKey.size === 0) ofKeys.delete(stream.keyId);
        metrics.limited("streams");
        const message = "Too many open streams: close some, or try again later";
        throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 5 });
      }
      count++;
      ofKey.add(stream);
      const { counts } = stream;
      counts.open++;
      counts.opened++;
      if (stream.isResumed) counts.resumed++;
      return () => {
        count--;
        counts.open--;
        ofKey.delete(stream);
        if (ofKey.size === 0) ofKeys.delete(stream.keyId);
      };
    },
    close: async (withinMs) => {
      unsubscribe();
      clearInterval(timer);
      const open = ofKeys
        .values()
        .flatMap((streams) => streams)
        .toArray();
      const stepMs = Math.min(END_STEP_MS, withinMs / open.length);
      const startedAt = performance.now();
      for (const [index, stream] of open.entries()) {
        const waitMs = startedAt + index * stepMs - performance.now();
        if (waitMs >= 1) await sleep(waitMs);
        stream.end();
      }
    },
  };
}
