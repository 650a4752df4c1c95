const FIRST_MS = 2000;
const MAX_MS = 600_000;
/** The longest `Retry-After` that is kept. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Part of a delay by which it varies, so that what failed together is not tried again together. */
const JITTER = 0.2;

/**
 * How long to wait after so many attempts that failed before the one that just did: twice as long each time, up to ten
 * minutes. A destination that names a time (`retryAfterMs`) is left alone for that long, an hour at most.
 */
export function retryDelayMs(
  failures: number,
  { random, retryAfterMs = 0 }: { random: () => number; retryAfterMs?: number | undefined },
): number {
  const delayMs = Math.min(FIRST_MS * 2 ** Math.min(failures, 30), MAX_MS);
  const jittered = delayMs * (1 - JITTER / 2 + JITTER * random());
  return Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
