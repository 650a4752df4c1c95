import { createFairQueue } from "./fair-queue.ts";

/** Places that workspaces share, for work that holds one from its beginning to its end. */
export interface FairPlaces {
  /** The number of those of a workspace that wait. */
  waiting(workspaceId: number): number;
  /**
   * Resolves with what gives the place back once it is the workspace's turn. Throws the reason of the signal when
   * that aborts before.
   */
  enter(workspaceId: number, signal: AbortSignal): Promise<() => void>;
}

/** Creates places in which workspaces take turns, by the rules of `createFairQueue`. */
export function createFairPlaces(places: number): FairPlaces {
  const queue = createFairQueue<() => void>({ places });
  const startNext = (): void => {
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      for (const start of taken.items) start();
    }
  };
  return {
    waiting: (workspaceId) => queue.waiting(workspaceId),
    enter: async (workspaceId, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => {
        queue.remove(workspaceId, resolve);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(workspaceId, resolve);
      startNext();
      await promise.finally(() => signal.removeEventListener("abort", leave));
      return () => {
        queue.ended(workspaceId);
        startNext();
      };
    },
  };
}
