import { isOutcomeUnknown } from "@parley/db";
import { setTimeout as sleep } from "node:timers/promises";

/** How long to look for a write; a database that restarts is back by then. */
const LOOK_MS = 5000;
const PAUSE_MS = 200;

/**
 * Whether a write that failed with `failure` was committed nevertheless: the connection may have broken
 * between the commit and its acknowledgement. `isStored` looks for what only this write writes.
 * Resolves within 5 s, with `false` also if that cannot be determined.
 */
export async function wasCommitted(
  failure: unknown,
  isStored: () => Promise<boolean>,
): Promise<boolean> {
  if (!isOutcomeUnknown(failure)) return false;
  const late = new AbortController();
  const look = async (): Promise<boolean> => {
    // The commit may be in progress during the first look.
    for (let looks = 0; looks < 2 && !late.signal.aborted;) {
      const stored = await isStored().catch(() => undefined);
      if (stored) return true;
      if (stored === false) looks++;
      await sleep(PAUSE_MS);
    }
    return false;
  };
  const giveUp = sleep(LOOK_MS, false, { signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([look(), giveUp]);
  } finally {
    late.abort();
  }
}
