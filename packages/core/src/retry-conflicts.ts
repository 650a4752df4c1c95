import { setTimeout as sleep } from "node:timers/promises";
import { isConflict } from "@parley/db";
import type { Core } from "./context.ts";

const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 20;

/**
 * Runs `work`, a transaction or a statement of its own, again when the database gave it up for the
 * sake of another one, a few times at most. What a failed try did outside the database must not count.
 */
export async function retryConflicts<T>(
  { random }: Pick<Core, "random">,
  work: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS, tries = 1; ; pauseMs *= 2, tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
    }
    // Two that met must not meet again.
    await sleep(random() * pauseMs);
  }
}
