import { setTimeout as sleep } from "node:timers/promises";
import { isConflict } from "@parley/db";

const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 20;

/**
 * Runs `work`, a transaction or a single statement, again if the database aborted it because of a
 * concurrent one, a few times at most. What a failed try did outside the database must not count.
 */
export async function retryConflicts<T>(
  { random }: { readonly random: () => number },
  work: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS, tries = 1; ; pauseMs *= 2, tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
    }
    // Jitter, so that the same two do not conflict again.
    await sleep(random() * pauseMs);
  }
}
