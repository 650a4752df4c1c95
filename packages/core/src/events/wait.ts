import type { Core } from "../context.ts";
import { isTerminal } from "./append.ts";
import type { StoredEvent } from "./bus.ts";

/**
 * Gives the terminal events of logs, by log, once each has its own or is gone, the time is over, or
 * the signal aborts, whichever is first. Holds no database connection meanwhile.
 */
export async function waitForEnds(
  core: Pick<Core, "hub">,
  options: {
    logIds: readonly string[];
    timeoutMs: number;
    signal: AbortSignal;
    /** Of logs that are yet to be written: the number of events that they are written with. */
    newAfter?: number | undefined;
  },
): Promise<Map<string, StoredEvent>> {
  const { logIds, timeoutMs, signal, newAfter } = options;
  const ends = new Map<string, StoredEvent>();
  if (logIds.length === 0 || signal.aborted) return ends;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let open = logIds.length;
  const followings = logIds.map((logId) =>
    core.hub.follow(
      {
        take: (events) => {
          const last = events.at(-1);
          if (last !== undefined && isTerminal(last.type)) ends.set(logId, last);
          return true;
        },
        end: () => {
          if (--open === 0) resolve();
        },
        fail: reject,
      },
      { logId, after: newAfter ?? 0, isNew: newAfter !== undefined },
    ),
  );
  const giveUp = (): void => resolve();
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    for (const following of followings) following.stop();
  }
  return ends;
}
