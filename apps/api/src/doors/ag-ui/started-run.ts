/** The answer that a run is of. */
export interface StartedRun {
  readonly conversationId: string;
  readonly messageId: string;
  /** Calls that the request has decided or answered. */
  readonly continues?: ReadonlySet<string>;
}
