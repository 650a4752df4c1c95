import type { libraries } from "./libraries.ts";

/** A slot near a change of the clock that one has and the other has not. */
export interface Difference {
  readonly library: keyof typeof libraries;
  readonly expression: string;
  readonly isFixed: boolean;
  /** Whether we have it, or the library. */
  readonly of: "ours" | "theirs";
  /** From the change to the slot. */
  readonly minutes: number;
  /** By which the change moves the clock: forward above zero. */
  readonly moved: number;
  /** Whether the change moves the clock forward to the start of another day. */
  readonly endsDay: boolean;
  /** Whether the clock was changed at a full hour. */
  readonly isOnHour: boolean;
}

/** Why a library has other slots than the rule of the README. What no reason covers is a fault of ours. */
interface Reason {
  readonly reason: string;
  readonly library: Difference["library"];
  readonly covers: (difference: Difference) => boolean;
}

const isWithin = (minutes: number, first: number, end: number): boolean =>
  minutes >= first && minutes < end;

export const reasons: readonly Reason[] = [
  {
    reason: "a range with a step is an interval, not fixed times",
    library: "croner",
    covers: ({ expression, isFixed, of, minutes, moved }) =>
      isFixed &&
      expression.split(" ", 2).join(" ").includes("/") &&
      (moved > 0
        ? of === "ours" && minutes === 0
        : of === "theirs" && isWithin(minutes, 0, -moved)),
  },
  {
    reason: "a skipped fixed time is lost if its day ends in the gap",
    library: "croner",
    covers: ({ isFixed, of, minutes, endsDay }) =>
      isFixed && endsDay && of === "ours" && minutes === 0,
  },
  {
    reason: "a skipped fixed time is as late as the gap is long, or lost at the end of a day",
    library: "cron-parser",
    covers: ({ isFixed, of, minutes, moved }) =>
      isFixed &&
      moved >= 60 &&
      (of === "ours" ? minutes === 0 : minutes > 0 && minutes < Math.min(moved, 60)),
  },
  {
    reason: "a skipped time of an interval fires after the gap",
    library: "cron-parser",
    covers: ({ isFixed, of, minutes, moved }) =>
      !isFixed && moved >= 60 && of === "theirs" && isWithin(minutes, 0, 60),
  },
  {
    reason: "every second hour is lost for the whole day that ends in the gap",
    library: "cron-parser",
    covers: ({ of, minutes, endsDay }) =>
      endsDay && of === "ours" && isWithin(minutes, -24 * 60, 0),
  },
  {
    reason: "an interval with given hours fires in one pass of a repeated hour only",
    library: "cron-parser",
    covers: ({ isFixed, of, minutes, moved }) =>
      !isFixed && moved <= -60 && of === "ours" && isWithin(minutes, moved, -moved),
  },
  {
    reason:
      "fixed times in a repeated midnight, or in more than one repeated hour, fire in the second pass",
    library: "cron-parser",
    covers: ({ isFixed, of, minutes, moved }) =>
      isFixed &&
      moved <= -60 &&
      (of === "ours" ? isWithin(minutes, moved, 0) : isWithin(minutes, 0, -moved)),
  },
  {
    reason: "changes by half an hour are taken for changes by an hour",
    library: "cron-parser",
    covers: ({ minutes, moved }) => Math.abs(moved) === 30 && isWithin(minutes, -30, 120),
  },
  {
    reason: "changes at a minute past the hour are misread",
    library: "cron-parser",
    covers: ({ minutes, isOnHour }) => !isOnHour && isWithin(minutes, -60, 121),
  },
  {
    reason: "times at the full hour are not found at all after half an hour was repeated",
    library: "cron-parser",
    covers: ({ expression, of, minutes, moved }) =>
      moved === -30 && of === "ours" && minutes >= 0 && /^0[ ,]/.test(expression),
  },
];
