import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { isatty } from "node:tty";

/** Bound on the lines that wait until the log takes them, in bytes. */
export const MAX_WAITING_BYTES = 1024 * 1024;
/** Time between attempts to write what waits. */
const RETRY_MS = 100;

let droppedLines = 0;

/** Lines that this process has not logged because the log took none for too long. */
export const countDroppedLines = (): number => droppedLines;

export interface LogDestination {
  /** Writes a line. Never throws and never waits. */
  write(line: string): void;
  /** Tries once more to write what waits, and stops trying. */
  close(): void;
}

interface DestinationOptions {
  /** Called when the log takes lines again, with the number of those that were dropped in the meantime. */
  readonly onRecovered: (dropped: number) => void;
  readonly fd?: number;
}

/**
 * Opens standard error, or another descriptor, for lines. A line is written before the call returns. While
 * the log takes nothing (a full disk, a pipe that nobody reads), lines wait in memory, up to
 * `MAX_WAITING_BYTES`; further ones are dropped and counted.
 */
export function openLogDestination({ onRecovered, fd = 2 }: DestinationOptions): LogDestination {
  const opened = openWithoutBlocking(fd);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Writes what waits, as far as the log takes it. */
  const flush = (): void => {
    let written = 0;
    try {
      for (const line of waiting) {
        const bytes = writeSync(opened, line);
        waitingBytes -= bytes;
        if (bytes < line.length) {
          waiting[written] = line.subarray(bytes);
          break;
        }
        written++;
      }
    } catch {
      // It takes nothing now. Nobody can be told: the log is what tells.
    }
    waiting = waiting.slice(written);
  };

  const retry = (): void => {
    stopTrying();
    flush();
    if (waiting.length > 0) return schedule();
    const count = dropped;
    dropped = 0;
    if (count > 0) onRecovered(count);
  };
  const schedule = (): void => {
    if (timer !== undefined) return;
    timer = setTimeout(retry, RETRY_MS).unref();
    // The last lines often say why a process ends.
    process.once("exit", flush);
  };
  const stopTrying = (): void => {
    clearTimeout(timer);
    timer = undefined;
    process.off("exit", flush);
  };

  return {
    write: (text) => {
      const line = Buffer.from(text);
      const isFree = waiting.length === 0;
      if (!isFree && waitingBytes + line.length > MAX_WAITING_BYTES) {
        dropped++;
        droppedLines++;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      if (isFree) flush();
      if (waiting.length > 0) schedule();
    },
    close: () => {
      stopTrying();
      flush();
      if (opened !== fd) closeSync(opened);
    },
  };
}

/**
 * A descriptor whose writes fail if they would have to wait. A pipe or a terminal is opened again,
 * because the flag would otherwise hold for each process that shares it.
 */
function openWithoutBlocking(fd: number): number {
  try {
    const stat = fstatSync(fd);
    if (!stat.isFIFO() && !stat.isSocket() && !isatty(fd)) return fd;
    return openSync(
      `/dev/fd/${fd}`,
      constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
  } catch {
    // A socket cannot be opened again. Node sets the flag when it opens the stream.
    if (fd === 2) void process.stderr;
    return fd;
  }
}
