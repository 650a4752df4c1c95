import { isTerminal } from "./append.ts";
import type { StoredEvent } from "./bus.ts";
import type { Hub } from "./hub.ts";

export interface ListenOptions {
  readonly logIds: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** For logs that are not written yet: the number of events that they are written with. */
  readonly newAfter?: number | undefined;
  /**
   * Makes what is given each log's events in their order, and says whether the log now waits for whoever listens: then
   * it is no longer waited for. None by default.
   */
  readonly watchPauses?: (() => (events: readonly StoredEvent[]) => boolean) | undefined;
}

/** Disposing of it stops listening. */
export interface PendingEnds extends Disposable {
  /**
   * The terminal events by log. Resolves when each log has ended, pauses, is gone or cannot be read, at the
   * timeout, or when the signal aborts. Never rejects: what is waited for is already written.
   */
  readonly ends: Promise<Map<string, StoredEvent>>;
}

/** Listens from now on for the terminal events of logs. Holds no database connection. */
export function listenForEnds(
  core: { readonly hub: Hub; readonly onLateFailure: (error: unknown) => void },
  { logIds, timeoutMs, signal, newAfter, watchPauses }: ListenOptions,
): PendingEnds {
  const ends = new Map<string, StoredEvent>();
  const { promise, resolve } = Promise.withResolvers<typeof ends>();
  const stop = (): void => resolve(ends);
  const open = new Set(logIds);
  const close = (logId: string): void => {
    if (open.delete(logId) && open.size === 0) stop();
  };
  if (open.size === 0 || signal.aborted)
    return { ends: Promise.resolve(ends), [Symbol.dispose]: stop };
  const followings = logIds.map((logId) => {
    const pauses = watchPauses?.();
    return core.hub.follow(
      {
        take: (events) => {
          const last = events.at(-1);
          if (last !== undefined && isTerminal(last.type)) ends.set(logId, last);
          else if (pauses?.(events) === true) close(logId);
          return true;
        },
        end: () => close(logId),
        fail: (error) => {
          core.onLateFailure(error);
          close(logId);
        },
      },
      { logId, after: newAfter ?? 0, isNew: newAfter !== undefined },
    );
  });
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  const cleanedUp = promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    for (const following of followings) following.stop();
  });
  return { ends: cleanedUp, [Symbol.dispose]: stop };
}
