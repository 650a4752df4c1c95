// Hints between processes by publish and subscribe, with a channel for each topic. A process gets its own
// hints directly.
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { createLocalBus, type EventBus, type Hint, type Topic } from "./bus.ts";
import { openRedis } from "./redis-connection.ts";
import { createSubscriptions } from "./redis-subscriptions.ts";

/** Characters of hints that wait to be sent; past it they are dropped, and followers poll. */
const MAX_UNSENT_LENGTH = 16 * 1024 * 1024;

export interface RedisBusOptions {
  readonly url: string;
  /** Prefix of every channel: servers with the same prefix share their hints. */
  readonly prefix: string;
  readonly onError: (error: Error) => void;
}

interface Message {
  /** The process that publishes. */
  readonly from: string;
  readonly hints: readonly Hint[];
}

/** The bus of a server of several processes. */
export interface RedisBus extends EventBus {
  /** Sends what is pending, as far as Redis accepts it. */
  close(): Promise<void>;
}

/**
 * Connects to Redis. While it is disconnected, hints stay in this process. On reconnection, and when a
 * subscription begins, listeners are notified of the gap.
 */
export function createRedisBus({ url, prefix, onError }: RedisBusOptions): RedisBus {
  const from = randomUUID();
  const local = createLocalBus();
  const gapListeners = new Set<(logIds: readonly string[]) => void>();
  const publisher = openRedis({ url, name: `${prefix}-publisher`, onError });
  const subscriber = openRedis({ url, name: `${prefix}-subscriber`, onError });
  const subscriptions = createSubscriptions(subscriber, (channels) =>
    reportGap(channels.map((channel) => channel.slice(prefix.length + 1) as Topic)),
  );
  const send = createSender(publisher);

  function reportGap(topics: readonly Topic[]): void {
    const logIds: string[] = [];
    for (const topic of topics) {
      if (topic.startsWith("log:")) logIds.push(topic.slice("log:".length));
      else if (topic === "runs") local.publish([{ topic, cause: "added" }]);
      else if (topic === "keys" || topic === "agents" || topic === "functions") {
        local.publish([{ topic }]);
      }
    }
    if (logIds.length > 0) for (const listener of gapListeners) listener(logIds);
  }

  subscriber.on("message", (_channel: string, text: string) => {
    // Written by a process of this server.
    const message = JSON.parse(text) as Message;
    if (message.from !== from) local.publish(message.hints);
  });

  return {
    publish: (hints) => {
      local.publish(hints);
      for (const [topic, ofTopic] of Map.groupBy(hints, (hint) => hint.topic)) {
        send(`${prefix}:${topic}`, JSON.stringify({ from, hints: ofTopic } satisfies Message));
      }
    },
    subscribe: (topic, listener) => {
      const unsubscribe = local.subscribe(topic, listener);
      const leave = subscriptions.want(`${prefix}:${topic}`);
      return () => {
        unsubscribe();
        leave();
      };
    },
    onGap: (listener) => {
      gapListeners.add(listener);
      return () => gapListeners.delete(listener);
    },
    isConnected: () => publisher.status === "ready" && subscriptions.areLive(),
    close: async () => {
      subscriber.disconnect();
      // A server that hangs is given up after the usual time.
      if (publisher.status === "ready") await publisher.quit().catch(() => {});
      publisher.disconnect();
    },
  };
}

/** Publishes what the connection accepts and drops the rest, as hints may be lost. */
function createSender(publisher: Redis): (channel: string, message: string) => void {
  let unsentLength = 0;
  return (channel, message) => {
    if (publisher.status !== "ready" || unsentLength > MAX_UNSENT_LENGTH) return;
    unsentLength += message.length;
    publisher
      .publish(channel, message)
      .catch(() => {})
      .finally(() => (unsentLength -= message.length));
  };
}
