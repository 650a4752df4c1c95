/** A create that a client was told of. */
export interface Acknowledged {
  readonly conversationId: string;
  /** The agent's message; its log has the same id. */
  readonly messageId: string;
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
  /** Creates that no retry has cured, with what they were told last. */
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
  /** The newest acknowledged message that nobody follows yet. */
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
