// The source of all streams of a process. A log is subscribed to once and read once, however many
// followers it has: a follower costs only its own write.
import { isDatabaseBusy, isDatabaseUnavailable } from "@parley/db";
import type { LogRuntime } from "./log-runtime.ts";
import { type Configurations, renderHint, renderPage } from "./payloads.ts";
import { isOver, type Page, readLastSeqs, readPage } from "./read-log.ts";
import { startSafetyPoll } from "./safety-poll.ts";
import { type Follower, type Following, Tail } from "./tail.ts";

/** When a failed read of a log is retried. */
const RETRY_MS = 500;
/** Logs in one statement of the safety poll. */
const MAX_POLLED_TOGETHER = 1000;

export interface FollowFrom {
  readonly logId: string;
  /** Number of the last event that the follower has. */
  readonly after: number;
  /** Whether the log is not written yet, so that all of its events come with hints. */
  readonly isNew?: boolean;
}

/** The followers of a process. */
export interface Hub {
  /**
   * Hands every event of a log after `after` to the follower once and in order, whatever happens to
   * the hints, until it stops, the terminal event has come, or the log is gone.
   */
  follow(follower: Follower, from: FollowFrom): Following;
  /** Reads the events after `after` as followers get them, at most a page; undefined if there is no such log. */
  read(logId: string, after: number): Promise<Page | undefined>;
  /** Logs that are subscribed to, and their followers. */
  count(): { logs: number; followers: number };
}

interface HubParts extends LogRuntime {
  readonly configurations: Configurations;
  /** Called once for events that a log's followers get together, with the time since their commit. */
  readonly onDelivery: (lagMs: number) => void;
}

/** Creates the hub of a process, which holds nothing without followers. */
export function createHub(parts: HubParts): Hub {
  const { bus, configurations } = parts;
  const { db } = parts.database;
  const tails = new Map<string, Tail>();
  /** Logs that may not be written yet: their absence does not mean that they are deleted. */
  const unborn = new Set<string>();
  let dirty = new Set<Tail>();
  let stopChecking = (): void => {};
  /** Logs whose ends are to be read. */
  const unchecked = new Set<string>();
  let checking = false;

  // What arrives in one turn of the event loop is delivered, and written, together.
  function schedule(tail: Tail): void {
    if (dirty.size === 0) setImmediate(flush);
    dirty.add(tail);
  }

  function flush(): void {
    const flushed = dirty;
    dirty = new Set();
    for (const tail of flushed) tail.flush();
  }

  async function read(logId: string, after: number): Promise<Page | undefined> {
    const page = await readPage(db, logId, after);
    return page && renderPage(configurations, page);
  }

  function openTail(logId: string): Tail {
    const tail: Tail = new Tail({
      readPage: async (after) => {
        const page = await read(logId, after);
        return page === undefined || isOver(page) ? undefined : page;
      },
      retryAfterMs: (error) =>
        isDatabaseUnavailable(error) || isDatabaseBusy(error) ? RETRY_MS : undefined,
      schedule: () => schedule(tail),
      onNew: (committedAt) => parts.onDelivery(Math.max(0, parts.now() - committedAt)),
      release: () => {
        unsubscribe();
        if (tails.get(logId) === tail) {
          tails.delete(logId);
          unborn.delete(logId);
        }
        if (tails.size === 0) stopChecking();
      },
    });
    const unsubscribe = bus.subscribe(`log:${logId}`, (hint) =>
      tail.receive(renderHint(configurations, hint)),
    );
    if (tails.size === 0) stopChecking = startChecking();
    tails.set(logId, tail);
    return tail;
  }

  function startChecking(): () => void {
    const stopPoll = startSafetyPoll(parts, () => checkEnds(tails.keys()));
    const unsubscribe = bus.onGap(checkEnds);
    return () => {
      stopPoll();
      unsubscribe();
    };
  }

  function checkEnds(logIds: Iterable<string>): void {
    for (const logId of logIds) unchecked.add(logId);
    if (!checking) void check();
  }

  /** Asks the database for what hints may have missed: new events, and deleted logs. */
  async function check(): Promise<void> {
    checking = true;
    let some: string[] = [];
    try {
      while (unchecked.size > 0) {
        some = [...unchecked].filter((logId) => tails.has(logId)).slice(0, MAX_POLLED_TOGETHER);
        for (const logId of some) unchecked.delete(logId);
        if (some.length === 0) unchecked.clear();
        else await readEnds(some);
      }
    } catch {
      // Readers get the error themselves.
      setTimeout(checkEnds, RETRY_MS, some).unref();
    } finally {
      checking = false;
    }
  }

  async function readEnds(logIds: readonly string[]): Promise<void> {
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
    read,
    count: () => ({
      logs: tails.size,
      followers: tails.values().reduce((sum, tail) => sum + tail.followerCount(), 0),
    }),
  };
}
