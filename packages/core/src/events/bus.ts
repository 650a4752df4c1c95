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
      /** Whether the log was deleted. */
      readonly gone?: true;
    }
  /** Runs wait to be claimed, or may be now that others have finished. */
  | { readonly topic: "runs"; readonly cause: "added" | "finished" }
  /** The runs of these logs were ended from outside. */
  | { readonly topic: "runs"; readonly cause: "ended"; readonly logIds: readonly string[] }
  /** Keys or their workspaces have changed. */
  | { readonly topic: "keys" }
  /** Agents have changed. */
  | { readonly topic: "agents" };

export type Topic = Hint["topic"];

/** Carries hints between the processes of one server. */
export interface EventBus {
  /** Tells the hints to every subscriber of their topics, at some time, if all goes well. */
  publish(hints: readonly Hint[]): void;
  /** Calls `listener` with the topic's hints until the returned function is called. */
  subscribe<T extends Topic>(
    topic: T,
    listener: (hint: Extract<Hint, { topic: T }>) => void,
  ): () => void;
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
    subscriptionCount: () => listeners.values().reduce((sum, ofTopic) => sum + ofTopic.size, 0),
  };
}

/** The hints that end the followers and the runs of deleted logs. */
export function goneHints(logIds: readonly string[]): Hint[] {
  return [
    { topic: "runs", cause: "ended", logIds },
    ...logIds.map((logId) => ({ topic: `log:${logId}` as const, lastSeq: 0, gone: true as const })),
  ];
}
