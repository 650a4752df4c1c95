import type { StoredEvent } from "./bus.ts";
import type { Hub } from "./hub.ts";

/** Bytes that wait for a slow follower; past it, it is fed from the log. */
const MAX_PENDING_BYTES = 256 * 1024;

export interface FollowOptions {
  readonly logId: string;
  /** Number of the last event that the follower has. */
  readonly after: number;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/**
 * Yields every event of a log after `after` once and in order, in batches, whatever happens to the hints.
 * Ends after the terminal event, when the log is deleted, or when the signal aborts. Throws when the log
 * cannot be read.
 */
export async function* followLog(
  core: { readonly hub: Hub },
  { logId, after, signal }: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const inbox = createInbox();
  if (signal.aborted) return;
  signal.addEventListener("abort", inbox.end, { once: true });
  const following = core.hub.follow(inbox, { logId, after });
  try {
    for (;;) {
      const batch = await inbox.next();
      if (batch === undefined || signal.aborted) return;
      yield batch;
      if (inbox.isEmpty()) following.resume();
    }
  } finally {
    following.stop();
    signal.removeEventListener("abort", inbox.end);
  }
}

/** A queue of events between the hub and an iterator. */
function createInbox() {
  const batches: (readonly StoredEvent[])[] = [];
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  let ended = false;
  let wake = (): void => {};
  return {
    take: (events: readonly StoredEvent[]): boolean => {
      batches.push(events);
      bytes += events.reduce((sum, { payload }) => sum + payload.length, 0);
      wake();
      return bytes < MAX_PENDING_BYTES;
    },
    end: (): void => {
      ended = true;
      wake();
    },
    fail: (error: unknown): void => {
      failure = { error };
      wake();
    },
    isEmpty: (): boolean => batches.length === 0,
    /** The next batch; undefined when there will be none. Throws when the log cannot be read. */
    next: async (): Promise<readonly StoredEvent[] | undefined> => {
      for (;;) {
        const batch = batches.shift();
        if (batches.length === 0) bytes = 0;
        if (batch !== undefined) return batch;
        if (failure !== undefined) throw failure.error;
        if (ended) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
