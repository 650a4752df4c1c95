// What every stream of a process goes through. A log is subscribed to once and read once, however
// many follow it: what a follower costs is its own write.
import { type Database, isDatabaseUnavailable } from "@parley/db";
import type { EventBus } from "./bus.ts";
import { readLastSeqs, readPage } from "./read.ts";
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

/** Makes the hub of a process; it holds nothing while nobody follows. */
export function createHub({
  database: { db },
  bus,
  safetyPollMs,
}: {
  readonly database: Database;
  readonly bus: EventBus;
  readonly safetyPollMs: number;
}): Hub {
  const tails = new Map<string, Tail>();
  let dirty = new Set<Tail>();
  let poll: NodeJS.Timeout | undefined;
  let polling = false;

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
      release: () => {
        unsubscribe();
        if (tails.get(logId) === tail) tails.delete(logId);
        if (tails.size === 0) clearInterval(poll);
      },
    });
    const unsubscribe = bus.subscribe(`log:${logId}`, tail.receive);
    if (tails.size === 0) poll = setInterval(() => void lookForLost(), safetyPollMs).unref();
    tails.set(logId, tail);
    return tail;
  }

  /** Asks the database for what no hint has told: new events, and logs that are gone. */
  async function lookForLost(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      const open = [...tails];
      for (let from = 0; from < open.length; from += MAX_POLLED_TOGETHER) {
        const some = open.slice(from, from + MAX_POLLED_TOGETHER);
        const lastSeqs = await readLastSeqs(
          db,
          some.map(([logId]) => logId),
        );
        for (const [logId, tail] of some) {
          const lastSeq = lastSeqs.get(logId);
          const topic = `log:${logId}` as const;
          tail.receive(
            lastSeq === undefined ? { topic, lastSeq: 0, gone: true } : { topic, lastSeq },
          );
        }
      }
    } catch {
      // The next poll asks again, and readers meet the error themselves.
    } finally {
      polling = false;
    }
  }

  return {
    follow: (follower, { logId, after, isNew = false }) =>
      (tails.get(logId) ?? openTail(logId)).follow(follower, { after, isNew }),
    count: () => ({
      logs: tails.size,
      followers: tails.values().reduce((sum, tail) => sum + tail.followerCount(), 0),
    }),
  };
}
