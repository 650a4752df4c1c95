import type { RunRow } from "../data-access/rows.ts";

/** An event as its log stores it. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  /** The event's JSON. */
  readonly payload: string;
  /** The id that its follower resumes with, if that is not the number. */
  readonly id?: string;
}

/**
 * A notification after a commit, which saves waiting and may save a read. Nothing depends on it: a lost,
 * repeated or reordered hint costs latency, never an event.
 */
export type Hint =
  | {
      readonly topic: `log:${string}`;
      readonly lastSeq: number;
      /** The new events, if they are small enough. */
      readonly events?: readonly StoredEvent[];
      /** When they were published, right after their commit: milliseconds since the epoch. */
      readonly committedAt?: number;
      /** Whether the log was deleted, or was closed without an event: nothing can follow. */
      readonly gone?: true;
    }
  /** Runs may be claimed, because they are new or others have finished; of any kind if it has none. */
  | {
      readonly topic: "runs";
      readonly cause: "added" | "finished";
      readonly kind?: RunRow["kind"];
    }
  /** The runs of these logs were ended by something other than their workers. */
  | { readonly topic: "runs"; readonly cause: "ended"; readonly logIds: readonly string[] }
  /** Keys of a workspace, or the workspace itself, have changed; of null, the operators' keys. */
  | Changed<"keys">
  /** Agents of a workspace have changed. */
  | Changed<"agents">
  /** Sandbox functions of a workspace have changed. */
  | Changed<"functions">;

interface Changed<T extends string> {
  readonly topic: T;
  /** Undefined for any workspace. */
  readonly workspaceId?: number | null;
}

export type Topic = Hint["topic"];

/** Carries hints between the processes of one server. */
export interface EventBus {
  /** Delivers the hints to the subscribers of their topics, without a guarantee. */
  publish(hints: readonly Hint[]): void;
  /** Calls `listener` with the topic's hints until the returned function is called. */
  subscribe<T extends Topic>(
    topic: T,
    listener: (hint: Hint & { readonly topic: T }) => void,
  ): () => void;
  /** Calls `listener` with logs whose hints may have been missed, until the returned function is called. */
  onGap(listener: (logIds: readonly string[]) => void): () => void;
  /** Whether hints of other processes reach this one at present. */
  isConnected(): boolean;
}

/** The bus of a single process. Hints arrive in the order of their publication. */
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

/** The same bus with the time of publication in hints of logs. Publishing never throws, since it follows a commit. */
export function stampHints(
  bus: EventBus,
  now: () => number,
  onError: (error: unknown) => void = () => {},
): EventBus {
  return {
    ...bus,
    publish: (hints) => {
      const committedAt = now();
      try {
        bus.publish(hints.map((hint) => ("lastSeq" in hint ? { ...hint, committedAt } : hint)));
      } catch (error) {
        onError(error);
      }
    },
  };
}

/** The hints that end the followers and the runs of logs that were deleted, or closed without an event. */
export function goneHints(logIds: readonly string[]): Hint[] {
  return [
    { topic: "runs", cause: "ended", logIds },
    ...logIds.map((logId) => ({ topic: `log:${logId}` as const, lastSeq: 0, gone: true as const })),
  ];
}
