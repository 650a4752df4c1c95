import type { PromptNote } from "@parley/core";
import type { MessageEvent } from "@parley/schema";

/** What is said of a turn's notes as its next step is written, or its end. */
export interface NoteAnnouncer {
  /** All notes of the answer; undefined without one. */
  readonly notes: readonly PromptNote[] | undefined;
  /** Adds what was found for a model. */
  add(found: readonly PromptNote[]): void;
  /** The event of those that no earlier write has announced; none without. */
  events(step: number): MessageEvent[];
  /** Called once these events are written. */
  announced(): void;
}

/** Notes of one answer, whose models may be several. */
const MAX_NOTES = 200;

const keyOf = ({ code, fileId, message }: PromptNote) => JSON.stringify([code, fileId, message]);

/** Announces each note once, whichever attempt at the turn finds it: `stored` are those of the message. */
export function announceNotes(
  about: Pick<
    Extract<MessageEvent, { type: "agent_message_notes" }>,
    "configurationId" | "messageId"
  > & {
    readonly now: () => number;
  },
  stored: readonly PromptNote[] | null,
): NoteAnnouncer {
  const { now, ...ids } = about;
  let notes = [...(stored ?? [])];
  const known = new Set(notes.map(keyOf));
  let fresh: PromptNote[] = [];
  return {
    get notes() {
      return notes.length === 0 ? undefined : notes;
    },
    add: (found) => {
      const added = found
        .filter((note) => !known.has(keyOf(note)))
        .slice(0, MAX_NOTES - notes.length);
      for (const note of added) known.add(keyOf(note));
      notes = [...notes, ...added];
      fresh = [...fresh, ...added];
    },
    events: (step) =>
      fresh.length === 0
        ? []
        : [{ type: "agent_message_notes", created: now(), ...ids, step, notes: fresh }],
    announced: () => void (fresh = []),
  };
}
