import type { PromptNote } from "@parley/core";
import type { MessageEvent } from "@parley/schema";

/** What is said of a turn's notes as its next step is written, or its end. */
export interface NoteAnnouncer {
  /** All notes of the answer; undefined without one. */
  readonly notes: readonly PromptNote[] | undefined;
  /** The event of those that no earlier write has announced; none without. */
  events(step: number): MessageEvent[];
  /** Called once these events are written. */
  announced(): void;
}

const keyOf = ({ code, fileId, message }: PromptNote) => JSON.stringify([code, fileId, message]);

/** Announces each note once, whichever attempt at the turn found it: `stored` are those of the message. */
export function announceNotes(
  about: Pick<
    Extract<MessageEvent, { type: "agent_message_notes" }>,
    "configurationId" | "messageId"
  > & {
    readonly now: () => number;
  },
  stored: readonly PromptNote[] | null,
  found: readonly PromptNote[],
): NoteAnnouncer {
  const { now, ...ids } = about;
  const known = new Set((stored ?? []).map(keyOf));
  let fresh = found.filter((note) => !known.has(keyOf(note)));
  return {
    notes: fresh.length > 0 ? [...(stored ?? []), ...fresh] : (stored ?? undefined),
    events: (step) =>
      fresh.length === 0
        ? []
        : [{ type: "agent_message_notes", created: now(), ...ids, step, notes: fresh }],
    announced: () => void (fresh = []),
  };
}
