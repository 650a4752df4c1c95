import { setTimeout as sleep } from "node:timers/promises";
import type { Core, Credentials } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { ApiSettings } from "../config.ts";
import type { ApiMetrics } from "../metrics/api-metrics.ts";
import type { OpenStream } from "./open-stream.ts";
import { callerName } from "./payer.ts";
import { findRefusedStreams } from "./refused-streams.ts";
import { createTally } from "./tally.ts";

/** How soon a stream ends after another process has changed its key or what the key reaches. */
const RECHECK_MS = 1000;
/** Pause between the ends of two streams at shutdown, if the time allows. */
const END_STEP_MS = 10;

export type OpenStreams = ReturnType<typeof createOpenStreams>;

/**
 * Holds the open streams, bounded for each user, key, workspace and the process, and ends those that
 * would now be refused.
 */
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
}) {
  const { PARLEY_MAX_STREAMS: ofProcess, PARLEY_MAX_STREAMS_PER_KEY: perKey } = settings;
  const perWorkspace = settings.PARLEY_MAX_STREAMS_PER_WORKSPACE ?? Math.ceil(ofProcess / 2);
  const perUser = settings.PARLEY_MAX_STREAMS_PER_USER;
  // Those of one credential are authorized again together.
  const ofCredentials = new Map<string, Set<OpenStream>>();
  const ofKeys = createTally();
  const ofUsers = createTally();
  const ofWorkspaces = createTally();
  let count = 0;

  let rechecking = false;
  let again = false;

  /** Runs again if it is called in the meantime. */
  const recheckAll = async (): Promise<void> => {
    again = true;
    if (rechecking) return;
    rechecking = true;
    try {
      while (again) {
        again = false;
        const refused = await findRefusedStreams({ core, credentials }, ofCredentials.values());
        for (const [stream, refusal] of refused) {
          metrics.streams.evicted(stream.name, "key_refused");
          stream.end(refusal);
        }
      }
    } finally {
      rechecking = false;
    }
  };
  core.localStreams.watch(ofWorkspaces.counts);
  const recheck = () => void recheckAll();
  const unsubscribe = core.bus.subscribe("keys", recheck);
  const timer = setInterval(recheck, RECHECK_MS);
  timer.unref();

  return {
    /** Reserves a place until the returned function is called. Throws `rate_limit_error`. */
    open: (stream: OpenStream): (() => void) => {
      const { authorization = "", keyId, workspaceId = "" } = stream;
      const user = stream.userId === undefined ? undefined : callerName(stream);
      if (
        count >= ofProcess ||
        ofKeys.of(keyId) >= perKey ||
        (user !== undefined && ofUsers.of(user) >= perUser) ||
        ofWorkspaces.of(workspaceId) >= perWorkspace
      ) {
        metrics.limited("streams");
        const message = "Too many open streams: close some, or try again later";
        throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 5 });
      }
      count++;
      ofWorkspaces.add(workspaceId);
      ofKeys.add(keyId);
      if (user !== undefined) ofUsers.add(user);
      const ofCredential = ofCredentials.getOrInsertComputed(authorization, () => new Set());
      ofCredential.add(stream);
      const { counts } = stream;
      counts.open++;
      counts.opened++;
      if (stream.isResumed) counts.resumed++;
      return () => {
        count--;
        ofWorkspaces.remove(workspaceId);
        counts.open--;
        ofKeys.remove(keyId);
        if (user !== undefined) ofUsers.remove(user);
        ofCredential.delete(stream);
        if (ofCredential.size === 0) ofCredentials.delete(authorization);
      };
    },
    /** Ends all streams, spread over `withinMs` at most, so that their clients reconnect spread too. */
    close: async (withinMs: number): Promise<void> => {
      unsubscribe();
      clearInterval(timer);
      const open = ofCredentials
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
