/** Work that a client was told is taken: an agent's answer or an invocation, each with a log. */
export interface Acknowledged {
  readonly kind: "answer" | "invocation";
  /** Id of the log: the agent message's or the invocation's. */
  readonly logId: string;
  /** Where its events are followed, below `/api/sse/`. */
  readonly eventsPath: string;
  /** What it has to come to if it succeeds: the words of the answer, or the JSON of the result. */
  readonly expected: string;
}

/** One event as a follower got it. */
export interface Received {
  readonly seq: number;
  readonly type: string;
  /** JSON of the event. */
  readonly payload: string;
}

/** What clients were promised, and what they saw. */
export interface Ledger {
  /** By Idempotency-Key. */
  readonly acknowledged: Map<string, Acknowledged>;
  /** Requests that no retry has cured, by key, with the end of what was asked and the last answers. */
  readonly failed: Map<string, string>;
  /** What followers got of a log from its first event to its last. */
  readonly followed: Map<string, readonly Received[]>;
  readonly totals: {
    attempts: number;
    retries: number;
    blocking: number;
    resumes: number;
    replayed: number;
  };
  /** The newest acknowledged work that nobody follows yet. */
  takeUnfollowed(): Acknowledged | undefined;
  acknowledge(key: string, acknowledged: Acknowledged): void;
}

/** Opens an empty ledger. */
export function createLedger(): Ledger {
  const unfollowed: Acknowledged[] = [];
  const acknowledged = new Map<string, Acknowledged>();
  return {
    acknowledged,
    failed: new Map(),
    followed: new Map(),
    totals: { attempts: 0, retries: 0, blocking: 0, resumes: 0, replayed: 0 },
    takeUnfollowed: () => unfollowed.pop(),
    acknowledge: (key, one) => {
      acknowledged.set(key, one);
      unfollowed.push(one);
      if (unfollowed.length > 1000) unfollowed.shift();
    },
  };
}

/** What a ledger comes to. */
export function totalsOf({ acknowledged, failed, followed, totals }: Ledger): object {
  const events = followed.values().reduce((sum, received) => sum + received.length, 0);
  const sizes = { acknowledged: acknowledged.size, failed: failed.size, followed: followed.size };
  return { ...sizes, events, ...totals };
}
