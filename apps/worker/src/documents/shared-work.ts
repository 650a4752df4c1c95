/** Does some work once for all who want it meanwhile; it is aborted when nobody waits for it any longer. */
export type SharedWork<Result> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

interface Running<Result> {
  readonly result: Promise<Result>;
  readonly abort: AbortController;
  waiting: number;
}

/** Creates what shares work by its key. A caller whose signal aborts waits no longer, and gets its reason. */
export function createSharedWork<Result>(): SharedWork<Result> {
  const all = new Map<string, Running<Result>>();
  return async (key, signal, work) => {
    signal.throwIfAborted();
    const begin = (): Running<Result> => {
      const abort = new AbortController();
      const result = work(abort.signal).finally(() => {
        if (all.get(key) === running) all.delete(key);
      });
      // Those who wait hear of it; there may be none any more.
      result.catch(() => {});
      const running = { result, abort, waiting: 0 };
      return running;
    };
    const running = all.getOrInsertComputed(key, begin);
    running.waiting++;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([running.result, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      running.waiting--;
      if (running.waiting === 0) {
        if (all.get(key) === running) all.delete(key);
        running.abort.abort(new Error("Nobody waits for it any longer"));
      }
    }
  };
}
