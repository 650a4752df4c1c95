import type { Core } from "../context.ts";
import { isTerminal } from "./append.ts";
import type { Hint, StoredEvent } from "./bus.ts";
import { logExists, PAGE_EVENTS, readEvents } from "./read.ts";

/** Events that a follower keeps from hints; past it, they are read from the log when asked for. */
const MAX_PENDING = 1000;

export interface FollowOptions {
  readonly logId: string;
  /** Number of the last event that the follower has. */
  readonly after: number;
  /** Ends the following. */
  readonly signal: AbortSignal;
  /** Whether the log is yet to be written, so that everything in it will be hinted at. */
  readonly isNew?: boolean;
}

/**
 * Yields every event of a log after `after` once and in order, in batches as they come, whatever
 * happens to the hints. Ends after the terminal event, when the log is deleted, or
 * when the signal aborts.
 */
export async function* followLog(
  core: Core,
  { logId, after, signal, isNew = false }: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const inbox = createInbox();
  const unsubscribe = core.bus.subscribe(`log:${logId}`, inbox.receive);
  try {
    let cursor = after;
    // What was committed before the subscription is only in the log.
    let complete = isNew;
    let subscribed = isNew;
    while (!signal.aborted && !inbox.isGone()) {
      let batch = complete ? inbox.takeAfter(cursor) : undefined;
      if (batch === undefined) {
        inbox.clear();
        batch = await readEvents(core.database.db, logId, cursor);
        complete = batch.length < PAGE_EVENTS;
      }
      const last = batch.at(-1);
      if (last === undefined && !subscribed) {
        // It may have been deleted before this follower could be told.
        if (!(await logExists(core.database.db, logId))) return;
        subscribed = true;
      }
      if (last === undefined) {
        complete = await inbox.wait({ cursor, timeoutMs: core.safetyPollMs, signal });
        continue;
      }
      cursor = last.seq;
      yield batch;
      if (isTerminal(last.type)) return;
    }
  } finally {
    unsubscribe();
    inbox.close();
  }
}

type LogHint = Extract<Hint, { topic: `log:${string}` }>;

interface WaitOptions {
  readonly cursor: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Where hints wait for their follower. */
function createInbox() {
  let pending: StoredEvent[] = [];
  let lastSeq = 0;
  let gone = false;
  let wake: ((hinted: boolean) => void) | undefined;
  return {
    receive: (hint: LogHint): void => {
      lastSeq = Math.max(lastSeq, hint.lastSeq);
      gone ||= hint.gone ?? false;
      const next = (pending.at(-1)?.seq ?? 0) + 1;
      const first = hint.events?.[0]?.seq;
      if (hint.events === undefined || pending.length + hint.events.length > MAX_PENDING) {
        pending = [];
      } else if (pending.length === 0 || first === next) {
        pending.push(...hint.events);
      } else if (first !== undefined && first > next) {
        // A hint was lost between the two.
        pending = [];
      }
      wake?.(true);
    },
    /** The events that follow `cursor`; undefined where only the log has them. */
    takeAfter: (cursor: number): readonly StoredEvent[] | undefined => {
      const taken = pending.filter((event) => event.seq > cursor);
      pending = [];
      const first = taken[0]?.seq ?? cursor + 1;
      const last = taken.at(-1)?.seq ?? cursor;
      return first === cursor + 1 && last >= lastSeq ? taken : undefined;
    },
    /** Forgets what came so far: what is read from the log now includes it. */
    clear: (): void => {
      pending = [];
      lastSeq = 0;
    },
    /** Waits for a hint past `cursor`; false when none came in time and the log has to be asked. */
    wait: async ({ cursor, timeoutMs, signal }: WaitOptions): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const abort = () => resolve(true);
      signal.addEventListener("abort", abort, { once: true });
      wake = resolve;
      if (gone || lastSeq > cursor || signal.aborted) resolve(true);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        wake = undefined;
      }
    },
    isGone: (): boolean => gone,
    close: (): void => wake?.(true),
  };
}
