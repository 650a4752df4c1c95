import { CronFault, cronFields, parseField } from "./cron-fields.ts";

export { CronFault } from "./cron-fields.ts";

const MAX_LENGTH = 200;

const nicknames: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A parsed cron expression: local times of day, on days. */
export interface Cron {
  /** Whether neither the minute nor the hour has a `*`: such times are kept when the clock changes. */
  readonly isFixed: boolean;
  /** Minutes after midnight, ascending; at least one. */
  readonly times: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  /** From 1. */
  readonly months: ReadonlySet<number>;
  /** From 0, Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether a day that one of the two fields of days has is enough: neither is `*`. */
  readonly isEitherDay: boolean;
}

/**
 * Parses five fields (minute, hour, day of month, month, day of week) with `*`, lists, ranges, steps and names, or
 * a nickname as `@daily`. Throws a CronFault, whose message names the field and what is wrong, for all else, and
 * for an expression that never fires.
 */
export function parseCron(text: string): Cron {
  if (text.length > MAX_LENGTH) throw new CronFault(`has more than ${MAX_LENGTH} characters`);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = splitFields(text.trim());
  const minutes = sort(parseField(cronFields.minute, minute));
  const hours = sort(parseField(cronFields.hour, hour));
  const weekdays = [...parseField(cronFields.dayOfWeek, dayOfWeek)].map((day) => day % 7);
  const cron = {
    isFixed: !minute.includes("*") && !hour.includes("*"),
    times: hours.flatMap((hourOfDay) => minutes.map((one) => hourOfDay * 60 + one)),
    daysOfMonth: parseField(cronFields.dayOfMonth, dayOfMonth),
    months: parseField(cronFields.month, month),
    daysOfWeek: new Set(weekdays),
    isEitherDay: dayOfMonth !== "*" && dayOfWeek !== "*",
  };
  if (!cron.isEitherDay) requireDay(cron);
  return cron;
}

type Texts = readonly [string, string, string, string, string];

function splitFields(text: string): Texts {
  const nickname = nicknames[text.toLowerCase()];
  if (text.startsWith("@") && nickname === undefined) {
    const known = Object.keys(nicknames).join(", ");
    throw new CronFault(
      `${JSON.stringify(text)} is not supported: write five fields, or one of ${known}`,
    );
  }
  const fields = (nickname ?? text).split(/[ \t]+/);
  if (fields.length === 5) return fields as unknown as Texts; // Its length was compared.
  const count = text === "" ? 0 : fields.length;
  const wanted = Object.values(cronFields)
    .map(({ name }) => name)
    .join(", ");
  const more = count > 5 ? "; seconds and years are not supported" : "";
  throw new CronFault(`has ${count} fields instead of five (${wanted})${more}`);
}

/** Throws for days that no month has; where days of the week are given too, one comes each week. */
function requireDay({ daysOfMonth, months }: Pick<Cron, "daysOfMonth" | "months">): void {
  const longest = Math.max(...[...months].map((month) => daysOfMonths[month - 1] ?? 0));
  const first = Math.min(...daysOfMonth);
  if (first <= longest) return;
  throw new CronFault(
    `day of month: never fires, since ${first} comes after the last day, ${longest}, of its months`,
  );
}

const sort = (values: ReadonlySet<number>): number[] => [...values].toSorted((a, b) => a - b);
