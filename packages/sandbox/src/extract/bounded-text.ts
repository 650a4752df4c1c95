/** Thrown when a text has as many characters as it may. */
export class TextFull extends Error {}

/** A text that grows up to a bound. */
export interface BoundedText {
  /** Adds to the text. Throws `TextFull` once it is at its bound. */
  add(text: string): void;
  /** Adds a line that says something about the document, beyond the bound. */
  note(text: string): void;
  /** Whether it has no characters that can be read. */
  readonly isEmpty: boolean;
  /** The text with its notes. */
  read(): string;
}

export function createBoundedText(maxCharacters: number): BoundedText {
  const parts: string[] = [];
  const notes: string[] = [];
  let length = 0;
  let isEmpty = true;
  return {
    add: (text) => {
      const fitting = text.slice(0, maxCharacters - length);
      parts.push(fitting);
      length += fitting.length;
      isEmpty &&= fitting.trim() === "";
      if (fitting.length < text.length || length >= maxCharacters) throw new TextFull();
    },
    note: (text) => void notes.push(`[${text}]`),
    get isEmpty() {
      return isEmpty;
    },
    read: () => [parts.join("").trim(), ...notes].join("\n"),
  };
}

/**
 * Adds the text of each page in order until the bound is reached. `addPage` adds one; the note says how far it came.
 */
export async function addPages(
  text: BoundedText,
  { count, noun }: { readonly count: number; readonly noun: string },
  addPage: (page: number) => Promise<void>,
): Promise<void> {
  for (let page = 1; page <= count; page++) {
    try {
      await addPage(page);
    } catch (error) {
      if (!(error instanceof TextFull)) throw error;
      text.note(`The file continues: this is its beginning, up to ${noun} ${page} of ${count}`);
      return;
    }
  }
}
