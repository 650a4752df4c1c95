import type { Core } from "../context.ts";
import { isTerminal } from "./append.ts";
import { followLog } from "./follow.ts";

/**
 * Resolves when each of the logs has its terminal event, when the time is over, or when the signal
 * aborts, whichever is first. Holds no database connection.
 */
export async function waitForEnds(
  core: Core,
  options: { logIds: readonly string[]; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), options.timeoutMs);
  const signal = AbortSignal.any([options.signal, patience.signal]);
  try {
    await Promise.all(options.logIds.map((logId) => waitForEnd(core, logId, signal)));
  } finally {
    clearTimeout(timer);
  }
}

async function waitForEnd(core: Core, logId: string, signal: AbortSignal): Promise<void> {
  for await (const events of followLog(core, { logId, after: 0, signal })) {
    if (isTerminal(events.at(-1)?.type ?? "")) return;
  }
}
