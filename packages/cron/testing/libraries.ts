import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

/** The slots of an expression after an instant, exclusive, and up to another, inclusive. */
export type FindSlots = (expression: string, timezone: string, range: Range) => number[];

export interface Range {
  readonly afterMs: number;
  readonly untilMs: number;
}

function takeUntil(untilMs: number, next: () => number | undefined): number[] {
  const slots: number[] = [];
  for (let slot = next(); slot !== undefined && slot <= untilMs; slot = next()) slots.push(slot);
  return slots;
}

/** Slots as two libraries find them, with the options that are closest to our rule; none after they give up. */
export const libraries = {
  croner: (expression, timezone, { afterMs, untilMs }) => {
    const options = {
      timezone,
      mode: "5-part",
      fixedTimeRule: "no-wildcard",
      paused: true,
    } as const;
    const cron = new Cron(expression, options);
    let last = new Date(afterMs);
    return takeUntil(untilMs, () => {
      last = cron.nextRun(last) ?? new Date(Number.NaN);
      return Number.isNaN(last.getTime()) ? undefined : last.getTime();
    });
  },
  "cron-parser": (expression, tz, { afterMs, untilMs }) => {
    const cron = CronExpressionParser.parse(expression, { tz, currentDate: new Date(afterMs) });
    return takeUntil(untilMs, () => {
      try {
        return cron.next().getTime();
      } catch (error) {
        if (error instanceof Error && error.message.endsWith("loop limit exceeded"))
          return undefined;
        throw error;
      }
    });
  },
} as const satisfies Record<string, FindSlots>;
