import type { Io } from "@parley/command/io";
import { dim, hasColours, red } from "@parley/command/style";
import {
  createMarkdownStream,
  createTextStream,
  type TextStream,
} from "../../markdown/markdown-stream.ts";
import { colourful, colourless } from "../../markdown/theme.ts";
import { createLiveArea, heightOf, widthOf } from "./live-area.ts";

/** How often what is under way is shown again, at most. */
const FRAME_MS = 33;
/** Painting takes no more than this part of the time, however long a block is. */
const PAINTING_SHARE = 0.25;

type Kind = "answer" | "reasoning";

/** An answer on a terminal, while it is written. */
export interface AnswerView {
  write(kind: Kind, text: string): void;
  /** Shows that something is awaited, until something is written. */
  await(): void;
  /** Prints a line about what happens, after what has been written. */
  note(line: string): void;
  /** Prints why there is no answer. */
  fail(reason: string): void;
  /** Finishes what is under way, as before a question; the cursor is at the start of a line. */
  finish(): void;
}

/** Makes the view of an answer: finished blocks are printed permanently, the one under way is shown below them. */
export function createAnswerView(io: Io): AnswerView {
  const { stdout: output } = io;
  const area = createLiveArea(output);
  const theme = hasColours(io) ? colourful : colourless;
  let stream: TextStream | undefined;
  let kind: Kind = "answer";
  let timer: NodeJS.Timeout | undefined;
  let frameMs = FRAME_MS;
  /** Lines of the block under way that have been printed because it is higher than the terminal. */
  let overflow: { readonly width: number; readonly lines: readonly string[] } | undefined;
  let isAfterNote = false;

  // A block keeps the width that its first lines have been printed with.
  const rendering = () => ({ theme, width: overflow?.width ?? Math.max(1, widthOf(output) - 1) });
  /** What is left to print of a block, with an empty line before its first. */
  const restOf = (lines: readonly string[]): readonly string[] => {
    if (overflow === undefined) return lines.length === 0 ? [] : ["", ...lines];
    const changed = overflow.lines.findIndex((line, index) => line !== lines[index]);
    return lines.slice(changed === -1 ? overflow.lines.length : changed);
  };
  const printable = (blocks: readonly (readonly string[])[]): string[] => {
    const lines: string[] = [];
    for (const block of blocks) {
      lines.push(...restOf(block));
      overflow = undefined;
      isAfterNote = false;
    }
    return lines;
  };
  const paint = (): void => {
    timer = undefined;
    if (stream === undefined) return;
    const started = performance.now();
    const { finished, open, isStable } = stream.take(rendering());
    const printed = printable(finished);
    const rest = restOf(open);
    const room = Math.max(1, heightOf(output) - 2);
    const above = isStable ? rest.slice(0, -room) : [];
    if (above.length > 0) {
      const { width } = rendering();
      overflow = { width, lines: open.slice(0, open.length - rest.length + above.length) };
      isAfterNote = false;
    }
    area.update([...printed, ...above], rest.slice(above.length));
    frameMs = Math.max(FRAME_MS, (performance.now() - started) / PAINTING_SHARE);
  };
  const schedule = (): void => {
    timer ??= setTimeout(paint, frameMs);
  };
  const finish = (): void => {
    clearTimeout(timer);
    timer = undefined;
    output.off("resize", schedule);
    const lines = printable(stream?.end(rendering()) ?? []);
    stream = undefined;
    area.update(lines, []);
    area.clear();
  };
  const printNote = (line: string): void => {
    finish();
    area.update([...(isAfterNote ? [] : [""]), line], []);
    isAfterNote = true;
  };
  return {
    write: (next, text) => {
      if (stream === undefined || next !== kind) {
        finish();
        stream = next === "answer" ? createMarkdownStream() : createTextStream();
        kind = next;
        output.on("resize", schedule);
      }
      stream.add(text);
      schedule();
    },
    await: () => area.update([], ["", dim(io, "…")]),
    note: (line) => printNote(dim(io, line)),
    fail: (reason) => printNote(red(io, reason)),
    finish,
  };
}
