/** A log as a stream of the public interface. */
export interface LogStream {
  readonly logId: string;
  /** Event types that this follower did not ask for. */
  readonly hidden: ReadonlySet<string>;
  /** Whether each event comes as `{"eventId":…,"data":…}`. */
  readonly enveloped: boolean;
  /** What a follower gets that already has the terminal event. */
  readonly afterEnd: "no content" | "terminal event";
  /** How long the stream stays open without an event; for ever by default. */
  readonly idleTimeoutMs?: number;
}
