import { type Core, hasLiveWorker, isDatabaseUnwritable, NO_WORKER } from "@parley/core";
import type { FastifyBaseLogger } from "fastify";

/** How long a process is not ready after the database has refused a write. */
const UNWRITABLE_MS = 5000;

export type WriteHealth = ReturnType<typeof createWriteHealth>;

/** Remembers that the database refused a write: only a write discovers that its disk is full. */
export function createWriteHealth() {
  let failedAt = -Infinity;
  return {
    /** Called with the error of each failed request. */
    note: (error: unknown): void => {
      if (isDatabaseUnwritable(error)) failedAt = performance.now();
    },
    /** Whether a write has failed lately. */
    failed: (): boolean => performance.now() - failedAt < UNWRITABLE_MS,
  };
}

/** Also how long workers that start together with the API have to start. */
const LOOK_MS = 10_000;

/** What a process without a worker knows of the workers of others. */
export interface WorkerWatch {
  /** Says that no worker is running; undefined while one is, or if that cannot be read. */
  whyNone(): Promise<string | undefined>;
  close(): void;
}

/** Looks for workers every few seconds, and logs once when none is alive, and once when one is again. */
export function watchWorkers(core: Core, logger: FastifyBaseLogger): WorkerWatch {
  let isMissing = false;
  const look = async (): Promise<void> => {
    const isAlive = await hasLiveWorker(core);
    if (!isAlive && !isMissing) logger.warn(NO_WORKER);
    if (isAlive && isMissing) logger.info("A worker is running again");
    isMissing = !isAlive;
  };
  // The database reports its own failures.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  return {
    whyNone: async () => {
      const isAlive = await hasLiveWorker(core).catch(() => true);
      return isAlive ? undefined : NO_WORKER;
    },
    close: () => clearInterval(timer),
  };
}
