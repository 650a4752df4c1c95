import { nextSlot } from "@parley/cron";
import { type GivenTimes, requireTimes, timesOf } from "../schedules/schedule-times.ts";

/** Whether something is to be done again at set times. */
const hasTimes = ({ cron, everySeconds }: GivenTimes): boolean =>
  cron !== null || everySeconds !== null;

/** When a web source is read next after a time; null for never. */
export function nextRefresh(given: GivenTimes, afterMs: number): number | null {
  return hasTimes(given) ? nextSlot(timesOf(given), afterMs) : null;
}

/** Throws `invalid_request_error` for both of `cron` and `everySeconds`, and for an expression that cannot be read. */
export function checkRefreshTimes(given: GivenTimes, now: number): void {
  if (hasTimes(given)) requireTimes(given, now);
}
