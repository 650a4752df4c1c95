import { isNightly } from "@parley/db/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Difference, reasons } from "../testing/differences.ts";
import { libraries, type Range } from "../testing/libraries.ts";
import { expressions, fiftyZones, oddZones } from "../testing/samples.ts";
import { parseCron } from "./parse-cron.ts";
import { nextSlot, slotsBetween } from "./slots.ts";

const HOUR_MS = 3_600_000;
/** Zones, each with its first year and the number of years. The first few need each reason. */
const samples: readonly (readonly [timezone: string, firstYear: number, years: number])[] = [
  ...oddZones.map((timezone) => [timezone, 2027, 1] as const),
  ["America/St_Johns", 2011, 1],
  ...(isNightly ? fiftyZones.map((timezone) => [timezone, 2011, 10] as const) : []),
];
const RUNS = isNightly ? 1000 : 100;

type Change = Pick<Difference, "moved" | "endsDay" | "isOnHour"> & { readonly atMs: number };

/** The changes of a zone's clock in the years, and their beginning, as a change that moves nothing. */
function changesOf([timezone, firstYear, years]: (typeof samples)[number]): Change[] {
  const startMs = Date.UTC(firstYear, 0, 1);
  const changes: Change[] = [{ atMs: startMs, moved: 0, endsDay: false, isOnHour: true }];
  let at = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timezone);
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (next === null || next.epochMilliseconds >= Date.UTC(firstYear + years, 0, 1))
      return changes;
    const before = next.subtract({ nanoseconds: 1 });
    const moved = (next.offsetNanoseconds - before.offsetNanoseconds) / 60e9;
    const isMidnight = next.toPlainTime().equals(new Temporal.PlainTime());
    // A clock at 01:59:59.999… was about to show a full hour.
    changes.push({
      atMs: next.epochMilliseconds,
      moved,
      endsDay: isMidnight && moved > 0,
      isOnHour: before.minute === 59,
    });
    at = next;
  }
}

function findDifferences(timezone: string, change: Change, expression: string): Difference[] {
  const cron = parseCron(expression);
  const { atMs, ...what } = change;
  const range: Range = { afterMs: atMs - 25 * HOUR_MS, untilMs: atMs + 25 * HOUR_MS };
  const ours = slotsBetween({ kind: "cron", cron, timezone }, range, 1000);
  return (Object.keys(libraries) as Difference["library"][]).flatMap((library) => {
    const theirs = libraries[library](expression, timezone, range);
    const differ = (of: Difference["of"], own: number[], other: number[]): Difference[] =>
      own
        .filter((slot) => !other.includes(slot))
        .map((slot) => {
          const minutes = (slot - atMs) / 60_000;
          return { library, expression, isFixed: cron.isFixed, of, minutes, ...what };
        });
    return [...differ("ours", ours, theirs), ...differ("theirs", theirs, ours)];
  });
}

describe("the slots of two libraries", () => {
  const used = new Set<string>();

  it.for(samples)("are ours in %s from %i, but for what a reason covers", (sample) => {
    const [timezone] = sample;
    const unexplained = changesOf(sample).flatMap((change) =>
      expressions.flatMap((expression) =>
        findDifferences(timezone, change, expression).flatMap((difference) => {
          const covering = reasons.filter(
            ({ library, covers }) => library === difference.library && covers(difference),
          );
          for (const { reason } of covering) used.add(reason);
          return covering.length > 0 ? [] : [{ at: new Date(change.atMs), ...difference }];
        }),
      ),
    );
    expect(unexplained).toEqual([]);
  });

  it("need each reason", () => {
    expect(reasons.map(({ reason }) => reason).filter((reason) => !used.has(reason))).toEqual([]);
  });

  /** Items of a field: values, ranges and steps; and `*` with its steps. */
  const field = (first: number, last: number) => {
    const value = fc.integer({ min: first, max: last });
    const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const step = fc.integer({ min: 1, max: Math.min(last - first, 12) });
    const stepped = fc
      .tuple(fc.oneof(fc.constant("*"), range), step)
      .map((parts) => parts.join("/"));
    // One of the libraries refuses a value that is listed twice.
    const list = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
    return fc.oneof(
      fc.constant("*"),
      range,
      stepped,
      list.map((items) => items.join(",")),
    );
  };

  it("are ours in UTC, whatever the fields", () => {
    const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6));
    const start = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });
    const property = fc.property(fields, start, (texts, afterMs) => {
      const expression = texts.join(" ");
      const schedule = { kind: "cron", cron: parseCron(expression), timezone: "UTC" } as const;
      const ours: number[] = [];
      for (let slot = nextSlot(schedule, afterMs); slot !== null && ours.length < 5;) {
        ours.push(slot);
        slot = nextSlot(schedule, slot);
      }
      const range = { afterMs, untilMs: ours.at(-1) ?? 0 };
      expect(libraries.croner(expression, "UTC", range)).toEqual(ours);
      expect(libraries["cron-parser"](expression, "UTC", range)).toEqual(ours);
    });
    fc.assert(property, { numRuns: RUNS });
  });
});
