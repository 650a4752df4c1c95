import type { ParleyError } from "@parley/schema";

/** A log as a stream of the public interface. */
export interface LogStream {
  readonly logId: string;
  /** Event types that the follower does not get. */
  readonly hidden: ReadonlySet<string>;
  /** Whether each event comes as `{"eventId":…,"data":…}`. */
  readonly enveloped: boolean;
  /** Whether the events of an answer's tasks come in it too. */
  readonly hasTasks?: boolean;
  /** What a follower gets that already has the terminal event. */
  readonly afterEnd: "no content" | "terminal event";
  /** How long the stream stays open without an event; for ever by default. */
  readonly idleTimeoutMs?: number;
  /** The space that its followers must reach while they follow; undefined outside of spaces. */
  readonly space: StreamSpace | undefined;
}

/** The space of a stream: a conversation never leaves the one that it was created in. */
export interface StreamSpace {
  /** Number of the space. */
  readonly id: number;
  /** The error for a follower that no longer reaches it, as of the stream's endpoint. */
  readonly lost: () => ParleyError;
}

/** The space of this number as that of a stream. */
export function streamSpace(id: number | null, lost: StreamSpace["lost"]): StreamSpace | undefined {
  return id === null ? undefined : { id, lost };
}

/** The event types of a stream that are sent only on request, by the names that requests have for them. */
export type OptInTypes = Readonly<Record<string, readonly string[]>>;

/** The event types that a follower does not get that asks for these. */
export function hiddenTypes(optIn: OptInTypes, include: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(include);
  return new Set(Object.entries(optIn).flatMap(([name, types]) => (wanted.has(name) ? [] : types)));
}
