import { setTimeout as sleep } from "node:timers/promises";
import {
  type Caller,
  type CallerAndSpace,
  type Core,
  type Credentials,
  findReachedSpaces,
  type LogStream,
  seesAllOfWorkspace,
} from "@parley/core";
import { type EndpointName, endpoints, ParleyError } from "@parley/schema";
import type { ApiSettings } from "../config.ts";
import type { ApiMetrics } from "../metrics/api-metrics.ts";
import { callerName, type Payer } from "./payer.ts";
import { createTally } from "./tally.ts";
import type { StreamCounts } from "../metrics/stream-metrics.ts";
import { requireAllowed } from "@parley/rpc";

/** An open stream, with what is needed to authorize it again. */
export interface OpenStream extends Payer {
  /** The endpoint's name in the table. */
  readonly name: string;
  /** The credential, which is checked again while the stream is open. */
  readonly authorization: string | undefined;
  /** Whether its key saw what other keys have created, when it was opened. */
  readonly seesAll: boolean;
  /** The space that the caller must reach. */
  readonly space: LogStream["space"];
  readonly counts: StreamCounts;
  readonly isResumed: boolean;
  /** Ends the stream; called with the refusal if it would now be refused. */
  readonly end: (refusal?: ParleyError) => void;
}

/** A place among the open streams, before there is a stream for it. */
export interface StreamPlace {
  /** Gives the place up, unless a stream has taken it. */
  release(): void;
  /** Takes the place for a stream, which gives it up by the returned function. */
  take(): () => void;
}

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

  const reserve = (payer: Payer): StreamPlace => {
    const { keyId, workspaceId = "" } = payer;
    const user = payer.userId === undefined ? undefined : callerName(payer);
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
    let isFree = false;
    let isTaken = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      count--;
      ofWorkspaces.remove(workspaceId);
      ofKeys.remove(keyId);
      if (user !== undefined) ofUsers.remove(user);
    };
    return {
      release: () => {
        if (!isTaken) free();
      },
      take: () => {
        isTaken = true;
        return free;
      },
    };
  };

  return {
    /** Reserves a place for a stream that is to be opened. Throws `rate_limit_error`. */
    reserve,
    /**
     * Opens a stream until the returned function is called, in a place that is reserved for it, or in one of its own. Throws
     * `rate_limit_error`.
     */
    open: (stream: OpenStream, place: StreamPlace = reserve(stream)): (() => void) => {
      const free = place.take();
      const { authorization = "", counts } = stream;
      const ofCredential = ofCredentials.getOrInsertComputed(authorization, () => new Set());
      ofCredential.add(stream);
      counts.open++;
      counts.opened++;
      if (stream.isResumed) counts.resumed++;
      return () => {
        counts.open--;
        free();
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

/**
 * Finds the open streams that would now be refused, by credential, role, scope and space, each with its
 * refusal; without one if its key sees less than before, so that it has to be opened again. (A stream
 * whose log was deleted is ended by the log.) Each set holds the streams of one credential, which is looked
 * up once, and a statement looks up a thousand spaces.
 */
export async function findRefusedStreams(
  { core, credentials }: { core: Core; credentials: Credentials },
  ofCredentials: Iterable<ReadonlySet<OpenStream>>,
): Promise<Map<OpenStream, ParleyError | undefined>> {
  const refused = new Map<OpenStream, ParleyError | undefined>();
  const inSpaces: (CallerAndSpace & { readonly streams: OpenStream[] })[] = [];
  const check = async ([...streams]: Iterable<OpenStream>): Promise<void> => {
    const [first] = streams;
    if (first === undefined) return;
    const caller = await credentials.authenticate(first.authorization).catch(toRefusal);
    if (caller === undefined) return;
    if (caller instanceof ParleyError || caller.kind === "operator") {
      // Operators follow nothing.
      const refusal = caller instanceof ParleyError ? caller : undefined;
      for (const stream of streams) refused.set(stream, refusal);
      return;
    }
    const seesAll = seesAllOfWorkspace(caller);
    for (const [name, ofEndpoint] of Map.groupBy(streams, (stream) => stream.name)) {
      const refusal = refusalOf(name, caller);
      for (const stream of ofEndpoint) {
        if (refusal !== undefined || (stream.seesAll && !seesAll)) refused.set(stream, refusal);
      }
    }
    const left = streams.filter((stream) => !refused.has(stream));
    for (const [spaceId, inSpace] of Map.groupBy(left, ({ space }) => space?.id)) {
      if (spaceId !== undefined) inSpaces.push({ caller, spaceId, streams: inSpace });
    }
  };
  await Promise.all([...ofCredentials].map(check));
  if (inSpaces.length === 0) return refused;
  // While the database cannot be reached, every space counts as reached.
  const isReached = await findReachedSpaces(core, inSpaces).catch(() => () => true);
  for (const pair of inSpaces) {
    if (isReached(pair)) continue;
    for (const stream of pair.streams) if (stream.space) refused.set(stream, stream.space.lost());
  }
  return refused;
}

/** An error as a refusal; errors of the server itself are none. */
function toRefusal(error: unknown): ParleyError | undefined {
  return error instanceof ParleyError && error.status < 500 ? error : undefined;
}

/** Why the endpoint would refuse the caller, if it would. */
function refusalOf(name: string, caller: Caller): ParleyError | undefined {
  const endpoint = endpoints[name as EndpointName];
  try {
    requireAllowed(endpoint, caller);
    return undefined;
  } catch (error) {
    return toRefusal(error);
  }
}
