/** One event as it stands in its log. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  /** The event's JSON. */
  readonly payload: string;
}

/**
 * What happened, told after its commit. A hint saves waiting and may save a read; nothing depends
 * on it: a lost, doubled or reordered hint costs latency, never an event.
 */
export type Hint =
  | {
      readonly topic: `log:${string}`;
      readonly lastSeq: number;
      /** The new events, where they are small enough to carry. */
      readonly events?: readonly StoredEvent[];
      /** When they were published, right after their commit: milliseconds since the epoch. */
      readonly committedAt?: number;
      /** Whether the log was deleted. */
      readonly gone?: true;
    }
  /** Runs wait to be claimed, or may be now that others have finished; of one kind, if it says. */
  | {
      readonly topic: "runs";
      readonly cause: "added" | "finished";
      readonly kind?: "agent_turn" | "invocation";
    }
  /** The runs of these logs were ended from outside. */
  | { readonly topic: "runs"; readonly cause: "ended"; readonly logIds: readonly string[] }
  /** Keys or their workspaces have changed. */
  | { readonly topic: "keys" }
  /** Agents have changed. */
  | { readonly topic: "agents" }
  /** Sandbox functions have changed. */
  | { readonly topic: "functions" };

export type Topic = Hint["topic"];

/** Carries hints between the processes of one server. */
export interface EventBus {
  /** Tells the hints to every subscriber of their topics, at some time, if all goes well. */
  publish(hints: readonly Hint[]): void;
  /** Calls `listener` with the topic's hints until the returned function is called. */
  subscribe<T extends Topic>(
    topic: T,
    listener: (hint: Hint & { readonly topic: T }) => void,
  ): () => void;
  /** Calls `listener` with logs of which hints may have been missed, until the returned function is called. */
  onGap(listener: (logIds: readonly string[]) => void): () => void;
  /** Whether hints of other processes reach this one at present. */
  isConnected(): boolean;
}

/** The bus of a single process. Hints arrive in the order they were published. */
export function createLocalBus(): EventBus & { subscriptionCount(): number } {
  const listeners = new Map<Topic, Set<(hint: never) => void>>();
  return {
    publish: (hints) => {
      for (const hint of hints) {
        for (const listener of listeners.get(hint.topic) ?? []) listener(hint as never);
      }
    },
    subscribe: (topic, listener) => {
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic.add(listener));
      return () => {
        ofTopic.delete(listener);
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic);
      };
    },
    onGap: () => () => {},
    isConnected: () => true,
    subscriptionCount: () => listeners.values().reduce((sum, ofTopic) => sum + ofTopic.size, 0),
  };
}

/** The same bus, but what it tells of logs says when it was published. */
export function stampHints(bus: EventBus, now: () => number): EventBus {
  return {
    ...bus,
    publish: (hints) => {
      const committedAt = now();
      bus.publish(hints.map((hint) => ("lastSeq" in hint ? { ...hint, committedAt } : hint)));
    },
  };
}

/** The hints that end the followers and the runs of deleted logs. */
export function goneHints(logIds: readonly string[]): Hint[] {
  return [
    { topic: "runs", cause: "ended", logIds },
    ...logIds.map((logId) => ({ topic: `log:${logId}` as const, lastSeq: 0, gone: true as const })),
  ];
}
