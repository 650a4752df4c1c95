// What every stream of a process goes through. A log is subscribed to once and read once, however
// many follow it: what a follower costs is its own write.
import { isDatabaseUnavailable } from "@parley/db";
import type { Core } from "../context.ts";
import { readLastSeqs, readPage } from "./read.ts";
import { startSafetyPoll } from "./safety-poll.ts";
import { createTail, type Follower, type Following, type Tail } from "./tail.ts";

/** How soon a log is read again that could not be. */
const RETRY_MS = 500;
/** Logs that one statement of the safety poll asks for. */
const MAX_POLLED_TOGETHER = 1000;

export interface FollowFrom {
  readonly logId: string;
  /** Number of the last event that the follower has. */
  readonly after: number;
  /** Whether the log is yet to be written, so that everything in it will be hinted at. */
  readonly isNew?: boolean;
}

/** The followers of a process. */
export interface Hub {
  /**
   * Hands every event of a log after `after` to the follower once and in order, whatever happens to
   * the hints, until it stops, the terminal event has come, or the log is gone.
   */
  follow(follower: Follower, from: FollowFrom): Following;
  /** Logs that are subscribed to, and their followers. */
  count(): { logs: number; followers: number };
}

interface HubParts extends Pick<Core, "database" | "bus" | "safetyPollMs" | "random" | "now"> {
  /** Told once for what a log's followers get together: how long after its commit they get it. */
  readonly onDelivery: (lagMs: number) => void;
}

/** Makes the hub of a process; it holds nothing while nobody follows. */
export function createHub(parts: HubParts): Hub {
  const { bus } = parts;
  const { db } = parts.database;
  const tails = new Map<string, Tail>();
  /** Logs that may not be written yet: that they are not there does not mean that they are gone. */
  const unborn = new Set<string>();
  let dirty = new Set<Tail>();
  let stopLooking = (): void => {};
  /** Logs whose ends are to be looked up. */
  const doubtful = new Set<string>();
  let looking = false;

  // What arrives in one turn of the event loop is handed out, and written, together.
  function schedule(tail: Tail): void {
    if (dirty.size === 0) setImmediate(flush);
    dirty.add(tail);
  }

  function flush(): void {
    const flushed = dirty;
    dirty = new Set();
    for (const tail of flushed) tail.flush();
  }

  function openTail(logId: string): Tail {
    const tail: Tail = createTail({
      readPage: (after) => readPage(db, logId, after),
      retryAfterMs: (error) => (isDatabaseUnavailable(error) ? RETRY_MS : undefined),
      schedule: () => schedule(tail),
      onNew: (committedAt) => parts.onDelivery(Math.max(0, parts.now() - committedAt)),
      release: () => {
        unsubscribe();
        if (tails.get(logId) === tail) {
          tails.delete(logId);
          unborn.delete(logId);
        }
        if (tails.size === 0) stopLooking();
      },
    });
    const unsubscribe = bus.subscribe(`log:${logId}`, tail.receive);
    if (tails.size === 0) stopLooking = startLooking();
    tails.set(logId, tail);
    return tail;
  }

  function startLooking(): () => void {
    const stopPoll = startSafetyPoll(parts, () => lookAt(tails.keys()));
    const unsubscribe = bus.onGap(lookAt);
    return () => {
      stopPoll();
      unsubscribe();
    };
  }

  function lookAt(logIds: Iterable<string>): void {
    for (const logId of logIds) doubtful.add(logId);
    if (!looking) void look();
  }

  /** Asks the database for what no hint has told: new events, and logs that are gone. */
  async function look(): Promise<void> {
    looking = true;
    try {
      while (doubtful.size > 0) {
        const some = [...doubtful]
          .filter((logId) => tails.has(logId))
          .slice(0, MAX_POLLED_TOGETHER);
        for (const logId of some) doubtful.delete(logId);
        if (some.length === 0) doubtful.clear();
        else await lookUp(some);
      }
    } catch {
      // The next poll asks again, and readers meet the error themselves.
    } finally {
      looking = false;
    }
  }

  async function lookUp(logIds: readonly string[]): Promise<void> {
    const lastSeqs = await readLastSeqs(db, logIds);
    for (const logId of logIds) {
      const lastSeq = lastSeqs.get(logId);
      const topic = `log:${logId}` as const;
      if (lastSeq !== undefined) tails.get(logId)?.receive({ topic, lastSeq });
      else if (!unborn.has(logId)) tails.get(logId)?.receive({ topic, lastSeq: 0, gone: true });
    }
  }

  return {
    follow: (follower, { logId, after, isNew = false }) => {
      if (isNew) unborn.add(logId);
      return (tails.get(logId) ?? openTail(logId)).follow(follower, { after, isNew });
    },
    count: () => ({
      logs: tails.size,
      followers: tails.values().reduce((sum, tail) => sum + tail.followerCount(), 0),
    }),
  };
}
