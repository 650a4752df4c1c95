import { Writable } from "node:stream";
import { Presets, SingleBar } from "cli-progress";
import { oneLine } from "./print.ts";
import type { Io } from "./io.ts";

/** Long work, which is counted in a unit. */
interface Work {
  /** What is done, as in `exporting`. */
  readonly label: string;
  readonly total: number;
  /** As in `rows`. */
  readonly unit: string;
}

export interface Progress {
  /** Counts that so many more are done. */
  readonly advance: (by: number) => void;
  /** Leaves the last state, or nothing on a terminal. */
  readonly stop: () => void;
}

/** How often a pipe gets a line. */
const LINE_MS = 10_000;

/**
 * Shows on standard error how much of a work is done, what is left and how long that takes: a bar on a terminal,
 * a line every ten seconds elsewhere. The bar goes when the work is done.
 */
export function startProgress(io: Io, { label, total, unit }: Work): Progress {
  const isTerminal = io.isTerminal.stderr;
  const bar = new SingleBar(
    {
      stream: isTerminal ? io.stderr : createLateStream(io),
      format: `${oneLine(label)} ${isTerminal ? "{bar} " : ""}{percentage}% | {value} of {total} ${unit} | {eta_formatted} left`,
      clearOnComplete: true,
      hideCursor: true,
      noTTYOutput: true,
      notTTYSchedule: LINE_MS,
      etaBuffer: 100,
    },
    Presets.shades_classic,
  );
  let done = 0;
  bar.start(Math.max(total, 1), done);
  return {
    advance: (by) => {
      // What goes around it, as the parts of a form, is not its own.
      done = Math.min(done + by, total);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** Standard error for work that takes long: what is over before its first line was due says nothing. */
function createLateStream({ stderr }: Io): NodeJS.WritableStream {
  const startedAt = performance.now();
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      if (performance.now() - startedAt >= LINE_MS) stderr.write(text);
      done();
    },
  });
}

/** Less is done before anybody looks. */
const FEW = 10;

/** Shows the progress of work on many things; nothing for a few. */
export function showProgress(io: Io, label: string, work: Omit<Work, "label">): Progress {
  if (work.total > FEW) return startProgress(io, { label, ...work });
  return { advance: () => {}, stop: () => {} };
}
