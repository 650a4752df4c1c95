import type { Io } from "./io.ts";

/** Marks that show nothing: they turn the order of text, or hide in a word so that it looks like another. */
const MARKS = String.raw`[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]`;
/** What joiners join: emoji, and letters of scripts that write with them. */
const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]`;
const LETTER = String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}]`;
const LOOSE_JOINER = String.raw`(?<!${EMOJI}|${LETTER})[\u200C\u200D]|[\u200C\u200D](?!${EMOJI}|${LETTER})`;
const invisible = new RegExp(`${MARKS}|${LOOSE_JOINER}`, "gu");

/** What others wrote, without what moves the cursor of a terminal but new lines and tabs, and without invisible marks. */
export const plain = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n\t]/gu, "").replaceAll(invisible, "");

/** What others wrote in one line, without what moves the cursor of a terminal, and without invisible marks. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .replaceAll(invisible, "")
    .trim();

/** Prints a line of the output of a command. */
export const printLine = ({ stdout }: Pick<Io, "stdout">, line: string): void =>
  void stdout.write(`${line}\n`);

/** Prints a line for the person who runs a command; standard output is for its output. */
export const reportLine = ({ stderr }: Pick<Io, "stderr">, line: string): void =>
  void stderr.write(`${line}\n`);

const MAX_DESCRIPTION = 60;

/** A description in a part of a line. */
export function shorten(description: string): string {
  const line = oneLine(description);
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1)}…` : line;
}
