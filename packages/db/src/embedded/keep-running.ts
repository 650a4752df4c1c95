import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log, Postmaster } from "./postmaster.ts";

/** A server that ran this long restarts at once, others after a wait that doubles. */
const SOUND_MS = 1000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/** A PostgreSQL that restarts whenever it ends. */
export interface Supervised {
  /** Stops it for good. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL and restarts it until it is stopped. Throws the error of the first start. */
export async function keepRunning(start: () => Promise<Postmaster>, log: Log): Promise<Supervised> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, "abort").then(() => "it is stopped");

  const supervise = async (first: Postmaster): Promise<void> => {
    let postmaster: Postmaster | undefined = first;
    let waitMs = 0;
    let startedAt = performance.now();
    for (;;) {
      const why = await Promise.race([postmaster?.exited, stopped]);
      if (signal.aborted) return postmaster?.stop();
      if (postmaster !== undefined) log("error", `PostgreSQL is gone, and starts again: ${why}`);
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
