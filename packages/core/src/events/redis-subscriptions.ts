import type { Redis } from "ioredis";

/** Channels that one command names. */
const MAX_TOGETHER = 1000;

export interface Subscriptions {
  /** Subscribes to a channel until the returned function has been called for each call. */
  want(channel: string): () => void;
  /** Whether what comes on the channels reaches this process. */
  areLive(): boolean;
}

/**
 * Keeps a connection subscribed to the channels that are wanted, also when it was lost meanwhile.
 * `onLive` is told the channels from which messages come from now on; what was published on them
 * before may have been missed.
 */
export function createSubscriptions(
  redis: Redis,
  onLive: (channels: readonly string[]) => void,
): Subscriptions {
  const wanted = new Map<string, number>();
  /** What Redis was told in this connection. */
  const live = new Set<string>();
  const changed = new Set<string>();
  let working = false;
  let isLive = false;

  function change(channel: string): void {
    if (changed.size === 0 && !working) setImmediate(() => void work());
    changed.add(channel);
  }

  // One command at a time: what is wanted may change while another one is under way.
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    try {
      while (changed.size > 0 && redis.status === "ready") {
        const some = [...changed].slice(0, MAX_TOGETHER);
        for (const channel of some) changed.delete(channel);
        const joining = some.filter((channel) => wanted.has(channel) && !live.has(channel));
        const leaving = some.filter((channel) => !wanted.has(channel) && live.has(channel));
        if (leaving.length > 0) {
          await redis.unsubscribe(...leaving);
          for (const channel of leaving) live.delete(channel);
        }
        if (joining.length > 0) {
          await redis.subscribe(...joining);
          for (const channel of joining) live.add(channel);
          onLive(joining);
        }
      }
      isLive = redis.status === "ready";
    } catch {
      // All begins again on the next connection.
      if (redis.status === "ready") redis.disconnect(true);
    } finally {
      working = false;
      if (changed.size > 0 && redis.status === "ready") setImmediate(() => void work());
    }
  }

  redis.on("close", () => (isLive = false));
  redis.on("ready", () => {
    live.clear();
    changed.clear();
    for (const channel of wanted.keys()) changed.add(channel);
    void work();
  });

  return {
    want: (channel) => {
      const count = wanted.get(channel) ?? 0;
      wanted.set(channel, count + 1);
      if (count === 0) change(channel);
      return () => {
        const left = (wanted.get(channel) ?? 0) - 1;
        if (left > 0) wanted.set(channel, left);
        else if (wanted.delete(channel)) change(channel);
      };
    },
    areLive: () => isLive,
  };
}
