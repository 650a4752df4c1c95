import type { ServerResponse } from "node:http";

/** Checks of a reader in `stallMs`. */
const CHECKS = 10;

export type StallWatch = ReturnType<typeof watchStall>;

/**
 * Calls `onStall` once the reader of a response has taken nothing for `stallMs`. (Node's own timeout
 * of a socket can be late by as much again, because it restarts when it first sees a write's progress.)
 */
export function watchStall(response: ServerResponse, stallMs: number, onStall: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let last: Progress | undefined;
  let movedAt = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    last = undefined;
  };
  const check = (): void => {
    if (response.writableLength === 0) return stop();
    const now = performance.now();
    const progress = progressOf(response);
    if (progress.through !== last?.through || progress.left !== last.left) movedAt = now;
    last = progress;
    if (now - movedAt < stallMs) return;
    stop();
    onStall();
  };
  return {
    /** Checks from now on, until the reader has taken everything. */
    start: (): void => {
      if (timer !== undefined) return;
      timer = setInterval(check, stallMs / CHECKS).unref();
      check();
    },
    stop,
  };
}

/** How much of the written bytes the kernel has taken. */
export interface Progress {
  /** Bytes of completed writes. */
  readonly through: number;
  /** Bytes left of the current write. */
  readonly left: number;
}

/** The progress of the writes to the connection of a response. */
export function progressOf({ socket }: ServerResponse): Progress {
  // Only the handle knows a write's progress; without it, a write counts once it is complete.
  const handle =
    socket === null
      ? undefined
      : (Reflect.get(socket, "_handle") as { writeQueueSize?: number } | null | undefined);
  return {
    through: (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0),
    left: handle?.writeQueueSize ?? 0,
  };
}

/**
 * Disconnects a stalled reader with a reset: after an orderly close, the kernel would hold what was
 * written for as long as the reader stays connected (3.9 MB each).
 */
export function cutOff(response: ServerResponse): void {
  // A pipelined response that is not its turn has no socket yet.
  const socket = response.socket ?? response.req.socket;
  if (socket.destroyed) response.destroy();
  else socket.resetAndDestroy();
}
