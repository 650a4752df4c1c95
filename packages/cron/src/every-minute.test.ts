import { isNightly } from "@parley/db/testing";
import { expect, it } from "vitest";
import { expressions, fiftyZones } from "../testing/samples.ts";
import { parseCron } from "./parse-cron.ts";
import { slotsBetween } from "./slots.ts";

// An independent reading of the rule: a clock that Intl shows is watched for a year, minute by minute.

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const year = { afterMs: Date.UTC(2027, 0, 1) - 1, untilMs: Date.UTC(2028, 0, 1) - 1 };
const zones = isNightly ? fiftyZones : ["America/Nuuk", "Australia/Lord_Howe"];

/** What a clock shows, as milliseconds of a clock in UTC, each minute of the year. */
function watchClock(timezone: string): number[] {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const show = (atMs: number): number => {
    const [month, day, y, hour, minute] = format.format(atMs).split(/\D+/).map(Number);
    return Date.UTC(y ?? 0, (month ?? 0) - 1, day, hour, minute);
  };
  const shown: number[] = [];
  for (let hourMs = year.afterMs + 1; hourMs < year.untilMs; hourMs += HOUR_MS) {
    const first = show(hourMs);
    const isSteady = show(hourMs + HOUR_MS) - first === HOUR_MS;
    for (let minute = 0; minute < 60; minute += 1) {
      shown.push(isSteady ? first + minute * MINUTE_MS : show(hourMs + minute * MINUTE_MS));
    }
  }
  return shown;
}

const names = "SUN MON TUE WED THU FRI SAT JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(
  " ",
);
const numbers = [0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Tells by trying whether a value is in a field. */
function has(field: string, value: number, first: number): boolean {
  const text = field.replaceAll(/[A-Z]{3}/g, (name) => String(numbers[names.indexOf(name)]));
  return text.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    const [from = "", to = from] = range === "*" ? [String(first), "99"] : range.split("-");
    return (
      value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0
    );
  });
}

/** Tells whether a clock's time is one of the expression's. */
function createMatcher(expression: string): (shownMs: number) => boolean {
  const [minute = "", hour = "", date = "", month = "", weekday = ""] = expression.split(" ");
  const times = Array.from(
    { length: 1440 },
    (_, one) => has(minute, one % 60, 0) && has(hour, Math.floor(one / 60), 0),
  );
  const days = new Map<number, boolean>();
  const hasDay = (day: number): boolean => {
    const at = new Date(day * 24 * HOUR_MS);
    const inMonth = has(date, at.getUTCDate(), 1);
    const inWeek = has(weekday, at.getUTCDay(), 0);
    const both = inMonth && inWeek;
    const either = date === "*" || weekday === "*" ? both : inMonth || inWeek;
    return has(month, at.getUTCMonth() + 1, 1) && either;
  };
  return (shownMs) => {
    const day = Math.floor(shownMs / (24 * HOUR_MS));
    if (times[(shownMs / MINUTE_MS) % 1440] !== true) return false;
    const known = days.get(day) ?? hasDay(day);
    days.set(day, known);
    return known;
  };
}

/** Fires at each minute that shows a time; fixed ones when a time is shown, or jumped over, that was not before. */
function watchFor(expression: string, shown: readonly number[]): number[] {
  const isTime = createMatcher(expression);
  const isInterval = expression.split(" ", 2).some((field) => field.includes("*"));
  let latest = (shown[0] ?? 0) - MINUTE_MS;
  return shown.flatMap((now, minute) => {
    let isDue = isInterval && isTime(now);
    for (; latest < now; latest += MINUTE_MS) {
      if (!isInterval && isTime(latest + MINUTE_MS)) isDue = true;
    }
    return isDue ? [year.afterMs + 1 + minute * MINUTE_MS] : [];
  });
}

it.for(zones)("the slots of a year are those of who watches the clock in %s", (timezone) => {
  const shown = watchClock(timezone);
  for (const expression of expressions) {
    const schedule = { kind: "cron", cron: parseCron(expression), timezone } as const;
    expect(slotsBetween(schedule, year, 100_000), expression).toEqual(watchFor(expression, shown));
  }
});
