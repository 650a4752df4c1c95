import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log, Postmaster } from "./postmaster.ts";

/** A server that ran this long restarts at once, others after a wait that doubles. */
const SOUND_MS = 1000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/** A PostgreSQL that restarts whenever it ends. */
export interface Supervised {
  /** Stops it permanently. */
  stop(): Promise<void>;
}

/** Resolves with the reason once PostgreSQL has ended, or cannot be reached. */
const whyUnusable = async ({ exited, unreachable }: Postmaster): Promise<string> =>
  Promise.race([exited, unreachable.then((why) => why ?? exited)]);

/**
 * Starts PostgreSQL, and restarts it when it ends or cannot be reached, until it is stopped. Throws the error of the
 * first start.
 */
export async function keepRunning(start: () => Promise<Postmaster>, log: Log): Promise<Supervised> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, "abort").then(() => "it is stopped");

  const supervise = async (first: Postmaster): Promise<void> => {
    let postmaster: Postmaster | undefined = first;
    let waitMs = 0;
    let startedAt = performance.now();
    for (;;) {
      const why = await (postmaster && Promise.race([whyUnusable(postmaster), stopped]));
      if (signal.aborted) return postmaster?.stop();
      if (postmaster !== undefined)
        log("error", `PostgreSQL is gone and is being restarted: ${why}`);
      // One that cannot be reached still runs.
      await postmaster?.stop();
      if (performance.now() - startedAt > SOUND_MS) waitMs = 0;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      startedAt = performance.now();
      postmaster = await start().catch((error: Error) => {
        log("error", `PostgreSQL did not start: ${error.message}`);
        return undefined;
      });
    }
  };

  const supervised = supervise(await start());
  return {
    stop: async () => {
      stopping.abort();
      await supervised;
    },
  };
}
