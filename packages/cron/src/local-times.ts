import type { Cron } from "./parse-cron.ts";

// Local times are milliseconds since 1970-01-01 00:00 on the clock of a place, whatever its zone.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The first local time of the expression from `fromMs` on and before `limitMs`. Looks at each day at most once. */
export function findNextLocal(cron: Cron, fromMs: number, limitMs: number): number | null {
  let day = Math.floor(fromMs / DAY_MS);
  while (day * DAY_MS < limitMs) {
    const date = new Date(day * DAY_MS);
    const minute = (fromMs - day * DAY_MS) / MINUTE_MS;
    const time = hasDay(cron, date) ? cron.times.find((one) => one >= minute) : undefined;
    if (time !== undefined) {
      const localMs = day * DAY_MS + time * MINUTE_MS;
      return localMs < limitMs ? localMs : null;
    }
    // Every month has a day 28: from there, the next month is at most four days away.
    day += hasMonth(cron, date) ? 1 : Math.max(1, 28 - date.getUTCDate());
  }
  return null;
}

/** The last local time of the expression up to `fromMs` and not before `limitMs`. Looks at each day at most once. */
export function findPreviousLocal(cron: Cron, fromMs: number, limitMs: number): number | null {
  let day = Math.floor(fromMs / DAY_MS);
  while ((day + 1) * DAY_MS > limitMs) {
    const date = new Date(day * DAY_MS);
    const minute = (fromMs - day * DAY_MS) / MINUTE_MS;
    const time = hasDay(cron, date) ? cron.times.findLast((one) => one <= minute) : undefined;
    if (time !== undefined) {
      const localMs = day * DAY_MS + time * MINUTE_MS;
      return localMs >= limitMs ? localMs : null;
    }
    day -= hasMonth(cron, date) ? 1 : date.getUTCDate();
  }
  return null;
}

const hasMonth = (cron: Cron, date: Date): boolean => cron.months.has(date.getUTCMonth() + 1);

function hasDay(cron: Cron, date: Date): boolean {
  const inMonth = cron.daysOfMonth.has(date.getUTCDate());
  const inWeek = cron.daysOfWeek.has(date.getUTCDay());
  return hasMonth(cron, date) && (cron.isEitherDay ? inMonth || inWeek : inMonth && inWeek);
}
