import type { Core } from "../context.ts";
import { isTerminal } from "./append.ts";
import type { StoredEvent } from "./bus.ts";
import { followLog } from "./follow.ts";

/**
 * Gives the terminal events of logs, by log, once each has its own, the time is over, or the signal
 * aborts, whichever is first. Holds no database connection meanwhile.
 */
export async function waitForEnds(
  core: Core,
  options: { logIds: readonly string[]; timeoutMs: number; signal: AbortSignal; isNew?: boolean },
): Promise<Map<string, StoredEvent>> {
  const ends = new Map<string, StoredEvent>();
  const { isNew = false } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  await Promise.all(
    options.logIds.map(async (logId) => {
      for await (const events of followLog(core, { logId, after: 0, signal, isNew })) {
        const last = events.at(-1);
        if (last !== undefined && isTerminal(last.type)) ends.set(logId, last);
      }
    }),
  );
  return ends;
}
