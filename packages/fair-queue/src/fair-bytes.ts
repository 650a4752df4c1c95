/** Bytes of memory that workspaces share. */
export interface FairBytes {
  /** Bytes that are held. */
  readonly held: number;
  /**
   * Waits for room for so many bytes, and gives the function that frees it. More than there are in all count as
   * all of them. Throws the reason of the signal.
   */
  enter(workspaceId: number, bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly workspaceId: number;
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Creates a bound on memory. The next to enter is the first of the workspace that holds the least; nobody
 * smaller passes it, so none waits for ever.
 */
export function createFairBytes(maxBytes: number): FairBytes {
  const heldBy = new Map<number, number>();
  const waiting: Waiting[] = [];
  let held = 0;

  const hold = (workspaceId: number, bytes: number): void => {
    held += bytes;
    const left = (heldBy.get(workspaceId) ?? 0) + bytes;
    if (left === 0) heldBy.delete(workspaceId);
    else heldBy.set(workspaceId, left);
  };
  const findNext = (): Waiting | undefined => {
    const heldOf = ({ workspaceId }: Waiting) => heldBy.get(workspaceId) ?? 0;
    return waiting.reduce<Waiting | undefined>(
      (least, one) => (least === undefined || heldOf(one) < heldOf(least) ? one : least),
      undefined,
    );
  };
  const startNext = (): void => {
    for (let next = findNext(); next !== undefined; next = findNext()) {
      if (held + next.bytes > maxBytes) return;
      waiting.splice(waiting.indexOf(next), 1);
      hold(next.workspaceId, next.bytes);
      next.start();
    }
  };

  return {
    get held() {
      return held;
    },
    enter: async (workspaceId, wanted, signal) => {
      signal.throwIfAborted();
      const bytes = Math.min(wanted, maxBytes);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const one: Waiting = { workspaceId, bytes, start: resolve };
      const leave = (): void => {
        const at = waiting.indexOf(one);
        if (at === -1) return;
        waiting.splice(at, 1);
        reject(signal.reason);
        // It may have been what the others waited for.
        startNext();
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(one);
      startNext();
      await promise.finally(() => signal.removeEventListener("abort", leave));
      let isFreed = false;
      return () => {
        if (isFreed) return;
        isFreed = true;
        hold(workspaceId, -bytes);
        startNext();
      };
    },
  };
}
