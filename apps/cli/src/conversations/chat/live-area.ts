import type { Output } from "@parley/command/io";
import stringWidth from "string-width";

const HIDE_CURSOR = "\u001B[?25l";
const SHOW_CURSOR = "\u001B[?25h";
const ERASE_BELOW = "\u001B[J";
/** What is between these is shown at once, by terminals that know them. */
const BEGIN_FRAME = "\u001B[?2026h";
const END_FRAME = "\u001B[?2026l";

/** The columns of a terminal; some say for a while that they have none. */
export const widthOf = ({ columns = 80 }: Output): number => Math.max(1, columns);

/** The rows of a terminal. */
export const heightOf = ({ rows = 24 }: Output): number => Math.max(1, rows);

/** The terminal's lower end, where what is under way is shown and shown again. */
export interface LiveArea {
  /**
   * Prints lines permanently, and below them what is under way, in place of what was: its last lines, if it is
   * higher than the terminal.
   */
  update(printed: readonly string[], live: readonly string[]): void;
  /** Takes away what is under way, and shows the cursor, at the start of a line. */
  clear(): void;
}

/**
 * Makes a live area. Lines that were printed are never touched again. Terminals rewrap lines when they are made
 * narrower, so the rows of what is shown are counted when it is replaced.
 */
export function createLiveArea(output: Output): LiveArea {
  let shown: readonly string[] = [];
  const rowsOf = (line: string): number =>
    Math.max(1, Math.ceil(stringWidth(line) / widthOf(output)));
  const fit = (lines: readonly string[]): readonly string[] => {
    let room = Math.max(1, heightOf(output) - 1);
    const first = lines.findLastIndex((line) => (room -= rowsOf(line)) < 0);
    return lines.slice(first + 1);
  };
  /** The cursor is after the last of the lines that are shown. */
  const replaceFrom = (first: number): string => {
    if (shown.length === 0) return "";
    const rows = shown.slice(first).reduce((sum, line) => sum + rowsOf(line), 0);
    return `${rows > 1 ? `\u001B[${rows - 1}A` : ""}\r${ERASE_BELOW}`;
  };
  return {
    update: (printed, live) => {
      const next = fit(live);
      const same = printed.length > 0 ? 0 : countSame(shown, next);
      if (printed.length === 0 && same === shown.length && same === next.length) return;
      // The last line that stays is painted again, because the cursor is at its end.
      const first = Math.max(0, Math.min(same, shown.length - 1));
      const body = [...printed, ...next.slice(first)].join("\n");
      const end = printed.length > 0 && next.length === 0 ? "\n" : "";
      output.write(BEGIN_FRAME + HIDE_CURSOR + replaceFrom(first) + body + end + END_FRAME);
      shown = next;
    },
    clear: () => {
      output.write(replaceFrom(0) + SHOW_CURSOR);
      shown = [];
    },
  };
}

function countSame(before: readonly string[], after: readonly string[]): number {
  const different = before.findIndex((line, index) => line !== after[index]);
  return different === -1 ? before.length : different;
}
