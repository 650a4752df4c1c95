// Caches that answer many readers with one response tell apart their waits by a cursor: the number of an
// interval of time, which each reader sends back.

const EPOCH_MS = Date.UTC(2024, 9, 9);
const INTERVAL_MS = 20_000;
/** How many intervals a reader that is ahead of the time may be moved on by. */
const MAX_JITTER = 180;

/**
 * The cursor of a live response: the current interval, or one after the reader's own, so that no reader goes
 * in a circle between cached responses. `random` is from 0 up to 1.
 */
export function nextCursor(
  sent: string | undefined,
  { now, random }: { readonly now: number; readonly random: number },
): string {
  const current = Math.floor((now - EPOCH_MS) / INTERVAL_MS);
  const own = sent !== undefined && /^\d{1,15}$/.test(sent) ? Number(sent) : -1;
  if (own < current) return String(current);
  return String(own + 1 + Math.floor(random * MAX_JITTER));
}
