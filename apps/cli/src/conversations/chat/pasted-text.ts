/** How new lines and tabs of a message look while it is edited in one line. */
const NEW_LINE = "␤";
const TAB = "␉";
/** Pastes beyond these are shown by a name: a terminal cannot edit what is higher than itself. */
const MAX_LINES = 10;
const MAX_LENGTH = 1000;

/** Texts of several lines in the one line of an editor. */
export interface PastedTexts {
  /** The text as it is edited: with signs for its new lines, or a name in its place if it is long. */
  fold(text: string): string;
  /** What an edited line stands for. */
  unfold(line: string): string;
}

/** Remembers the texts that were given a name. */
export function createPastedTexts(): PastedTexts {
  const named = new Map<string, string>();
  return {
    fold: (text) => {
      const unified = text.replaceAll(/\r\n?/g, "\n");
      const lines = unified.split("\n").length;
      if (lines <= MAX_LINES && unified.length <= MAX_LENGTH) {
        return unified.replaceAll("\n", NEW_LINE).replaceAll("\t", TAB);
      }
      const name = `[pasted ${named.size + 1}: ${lines} lines, ${unified.length} characters]`;
      named.set(name, unified);
      return name;
    },
    unfold: (line) => {
      const text = line.replaceAll(NEW_LINE, "\n").replaceAll(TAB, "\t");
      // In one pass: a pasted text may hold the name of another.
      return text.replaceAll(
        /\[pasted \d+: \d+ lines, \d+ characters\]/g,
        (name) => named.get(name) ?? name,
      );
    },
  };
}
