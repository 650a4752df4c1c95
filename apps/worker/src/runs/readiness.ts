/** A worker looks for runs every second; it is ready while it reached them within this time. */
const FRESH_MS = 5000;

/** Whether a worker reaches the waiting runs. */
export interface Readiness {
  /** Records a successful claim. */
  claimed(): void;
  /** Records a failed claim. */
  failed(): void;
  /** Records that it looked for runs to take over. */
  reached(): void;
  /** Resolves after the first claim, successful or not. */
  readonly tried: Promise<void>;
  /** Why the worker is not ready; undefined when it is. */
  whyNot(): string | undefined;
}

/** Creates the readiness of a worker that has not started. */
export function createReadiness(): Readiness {
  const { promise, resolve } = Promise.withResolvers<void>();
  let reachedAt: number | undefined;
  let failingSince: number | undefined;
  return {
    claimed: () => {
      reachedAt = performance.now();
      failingSince = undefined;
      resolve();
    },
    failed: () => {
      failingSince ??= performance.now();
      resolve();
    },
    reached: () => void (reachedAt = performance.now()),
    tried: promise,
    whyNot: () => {
      if (reachedAt === undefined) return "The worker has not started to claim runs";
      const freshAt = performance.now() - FRESH_MS;
      if (reachedAt > freshAt && (failingSince ?? Infinity) > freshAt) return undefined;
      return "The worker cannot reach the queued runs";
    },
  };
}
