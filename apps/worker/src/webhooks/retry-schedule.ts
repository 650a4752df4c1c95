const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Times between the attempts of a delivery: three days in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Part of a delay by which it varies, so that what failed together is not tried again together. */
const JITTER = 0.2;
/** The longest `Retry-After` that is kept. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * How long to wait before the next attempt, after so many that failed; undefined if there is none. A receiver that names
 * a time (`retryAfterMs`) is left alone for that long.
 */
export function nextDelayMs(
  failed: number,
  { random, retryAfterMs = 0 }: { random: () => number; retryAfterMs?: number | undefined },
): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failed - 1];
  if (delayMs === undefined) return undefined;
  const jittered = delayMs * (1 - JITTER / 2 + JITTER * random());
  return Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The milliseconds of a header `Retry-After`, seconds or a date; undefined without one that can be read. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  // Without letters, what is no date may be read as one.
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
