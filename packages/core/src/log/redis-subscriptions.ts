import type { Redis } from "ioredis";

/** Channels of one command. */
const MAX_TOGETHER = 1000;

export interface Subscriptions {
  /** Subscribes to a channel until the returned function has been called for each call. */
  want(channel: string): () => void;
  /** Whether messages of the channels reach this process. */
  areLive(): boolean;
}

/**
 * Keeps a connection subscribed to the wanted channels, also after a reconnection. `onLive` is called
 * with the channels that are live from now on; messages before that may have been missed. ioredis would
 * subscribe again by itself, but does not report when: too early a read of what was missed leaves a gap.
 */
export function createSubscriptions(
  redis: Redis,
  onLive: (channels: readonly string[]) => void,
): Subscriptions {
  const wanted = new Map<string, number>();
  /** Subscribed in this connection. */
  const live = new Set<string>();
  const changed = new Set<string>();
  let working = false;
  let isLive = false;

  function change(channel: string): void {
    if (changed.size === 0 && !working) setImmediate(() => void work());
    changed.add(channel);
  }

  // One command at a time: what is wanted may change during another.
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
      // The next connection starts over.
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
