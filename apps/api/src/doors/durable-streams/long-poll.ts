import { isTerminal, type LogStream, seesAllOfWorkspace, type StoredEvent } from "@parley/core";
import type { ParleyError } from "@parley/schema";
import { payerOf } from "../../limits/payer.ts";
import { workspaceCallerOf } from "../../requests/authenticate.ts";
import type { DoorExchange } from "../door.ts";
import { type Chunk, type ReadFrom, toChunk } from "./chunks.ts";

/** For how long what follows the first new event is gathered: each response costs its client a request. */
const GATHER_MS = 100;
/** What is gathered at most. */
const MAX_BYTES = 128 * 1024;

/** A wait at the end of a log. */
export interface Wait extends ReadFrom {
  /** Name of the log's own stream in the endpoint table. */
  readonly name: string;
  readonly source: LogStream;
  readonly waitMs: number;
}

/**
 * Waits for the next events that are not hidden, and gives an empty chunk if none came in time, the server shuts
 * down or the client goes. Holds a place among the open streams. Throws `rate_limit_error` if too many are open,
 * and the refusal of a caller that may no longer read the log.
 */
export async function waitForChunk(
  { services, context, request, reply }: DoorExchange,
  { name, source, after, end, waitMs }: Wait,
): Promise<Chunk> {
  const { core, openStreams, metrics } = services;
  const caller = workspaceCallerOf(request);
  const counts = metrics.streams.of(name, "long-poll");
  const events: StoredEvent[] = [];
  let bytes = 0;
  let gathering: NodeJS.Timeout | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const release = openStreams.open({
    name,
    ...payerOf(caller),
    authorization: request.headers.authorization,
    seesAll: seesAllOfWorkspace(caller),
    space: source.space,
    counts,
    isResumed: after > 0,
    end: (refusal?: ParleyError) => {
      if (refusal === undefined) resolve();
      else reject(refusal);
    },
  });
  const waiting = setTimeout(resolve, waitMs);
  const take = (batch: readonly StoredEvent[]): boolean => {
    events.push(...batch);
    bytes += batch.reduce((sum, { payload }) => sum + payload.length, 0);
    const isLast = batch.some(({ type }) => isTerminal(type));
    if (isLast || bytes >= MAX_BYTES) {
      resolve();
      return false;
    }
    if (batch.some(({ type }) => !source.hidden.has(type))) {
      gathering ??= setTimeout(resolve, GATHER_MS);
    }
    return true;
  };
  const following = core.hub.follow(
    { take, end: resolve, fail: reject },
    { logId: source.logId, after },
  );
  reply.answered();
  // At shutdown, and when the client goes.
  const leave = (): void => resolve();
  context.signal.addEventListener("abort", leave, { once: true });
  if (context.signal.aborted) leave();
  try {
    await promise;
  } finally {
    clearTimeout(waiting);
    clearTimeout(gathering);
    following.stop();
    release();
    context.signal.removeEventListener("abort", leave);
  }
  const chunk = toChunk(source, events, { after, end });
  counts.sent += chunk.count;
  return chunk;
}
