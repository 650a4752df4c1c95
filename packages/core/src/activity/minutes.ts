/** Times of the tables that hold a row for each minute, and of the buckets of series made from them. */

export const MINUTE_MS = 60_000;

/** How long rows of a minute are stored: a day, and the parts of its first and last bucket. */
export const STORED_MS = 25 * 60 * MINUTE_MS;

/** How long after its end a minute is counted: ends are committed a moment after the time that they have. */
export const COMMIT_MS = 15_000;

/** When the minute of a time began. */
export const minuteOf = (time: number): number => time - (time % MINUTE_MS);

/** The time until the middle of a minute, when all processes write what they have. */
export const untilSample = (now: number): number => {
  const sinceSample = (now + MINUTE_MS / 2) % MINUTE_MS;
  return MINUTE_MS - sinceSample;
};

/** The newest minute of which all processes have written what they had. */
export const sampledMinute = (now: number): number => minuteOf(now - MINUTE_MS / 2 - COMMIT_MS);

/** The spans of time that series have. */
export const windows = {
  hour: { bucketMs: MINUTE_MS, count: 60 },
  day: { bucketMs: 15 * MINUTE_MS, count: 96 },
} as const;

/** Buckets of equal length, of which the last has not ended. */
export interface Buckets {
  readonly start: number;
  readonly end: number;
  readonly bucketMs: number;
  readonly count: number;
}

/** The buckets of a window that ends now. */
export function bucketsOf(window: keyof typeof windows, now: number): Buckets {
  const { bucketMs, count } = windows[window];
  const end = now - (now % bucketMs) + bucketMs;
  return { start: end - count * bucketMs, end, bucketMs, count };
}
