import { durationOf } from "../terminal/duration.ts";

/** A time as a clock in a time zone shows it, to the minute, as in `2026-11-30 09:00+01:00`; nothing for none. */
export const zonedTime = (time: number | null, timezone: string): string =>
  time === null
    ? ""
    : Temporal.Instant.fromEpochMilliseconds(time)
        .toZonedDateTimeISO(timezone)
        .toString({ smallestUnit: "minute", timeZoneName: "never" })
        .replace("T", " ");

/** When a schedule fires, in a cell of a table. */
export const timesIn = ({
  cron,
  everySeconds,
  timezone,
}: {
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timezone: string;
}): string => (cron === null ? `every ${durationOf(everySeconds ?? 0)}` : `${cron} (${timezone})`);
