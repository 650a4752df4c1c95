import { timezoneAliases, timezoneNames } from "@parley/schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expressions, fiftyZones } from "../testing/samples.ts";
import { cronOf, toText } from "../testing/show-slots.ts";
import { nextSlot, previousSlot, type Schedule, slotsBetween } from "./slots.ts";

describe("in a zone", () => {
  it("finds a slot in each zone that requests may name", () => {
    const names = [...timezoneNames, ...Object.keys(timezoneAliases)];
    const afterMs = Date.UTC(2026, 10, 28);
    for (const timezone of names) {
      const slot = nextSlot(cronOf("0 12 * * *", timezone), afterMs);
      expect(slot, timezone).toBeGreaterThan(afterMs);
      expect(slot, timezone).toBeLessThanOrEqual(afterMs + 24 * 3_600_000);
    }
    expect(names.length).toBeGreaterThan(590);
  });

  it("refuses what is no zone", () => {
    expect(() => nextSlot(cronOf("0 12 * * *", "Mars/Olympus"), 0)).toThrow(RangeError);
  });
});

describe("every so many seconds", () => {
  const anchorMs = Date.parse("2027-01-01T00:00:30Z");
  const every: Schedule = { kind: "interval", everySeconds: 5400, anchorMs };

  it("fires at the anchor and by elapsed time", () => {
    expect(nextSlot(every, 0)).toBeNull();
    expect(nextSlot(every, anchorMs - 1)).toBe(anchorMs);
    expect(nextSlot(every, anchorMs)).toBe(anchorMs + 5_400_000);
    expect(nextSlot(every, anchorMs + 5_399_999)).toBe(anchorMs + 5_400_000);
    expect(previousSlot(every, anchorMs)).toBeNull();
    expect(previousSlot(every, anchorMs + 1)).toBe(anchorMs);
    expect(previousSlot(every, anchorMs + 5_400_000)).toBe(anchorMs);
  });

  it.for([59, 60.5, Number.NaN, Infinity])("refuses %d seconds", (everySeconds) => {
    expect(() => nextSlot({ ...every, everySeconds }, 0)).toThrow(
      new RangeError(`everySeconds is ${everySeconds}, not a whole number from 60`),
    );
  });

  it("gives the newest slots that were missed, the oldest first", () => {
    const range = { afterMs: anchorMs, untilMs: anchorMs + 3 * 5_400_000 };
    const slots = [1, 2, 3].map((count) => anchorMs + count * 5_400_000);
    expect(slotsBetween(every, range, 10)).toEqual(slots);
    expect(slotsBetween(every, range, 2)).toEqual(slots.slice(1));
    expect(slotsBetween(every, range, 0)).toEqual([]);
    expect(slotsBetween(every, { afterMs: 5, untilMs: 4 }, 10)).toEqual([]);
  });
});

describe("backwards", () => {
  it("gives the newest slots of an expression, however many there were", () => {
    const range = { afterMs: 0, untilMs: Date.parse("2027-03-14T07:00Z") };
    const slots = slotsBetween(cronOf("* * * * *", "America/New_York"), range, 3);
    expect(slots.map(toText)).toEqual([
      "2027-03-14T06:58Z",
      "2027-03-14T06:59Z",
      "2027-03-14T07:00Z",
    ]);
  });

  it("finds the slots that are found forwards, near changes of clocks too", () => {
    const zone = fc.constantFrom(...fiftyZones);
    const start = fc.integer({ min: Date.UTC(2011, 0, 1), max: Date.UTC(2030, 0, 1) });
    const property = fc.property(fc.constantFrom(...expressions), zone, start, (text, name, at) => {
      const schedule = cronOf(text, name);
      const at0 = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name);
      const change = at0.getTimeZoneTransition("next")?.epochMilliseconds ?? at;
      const range = { afterMs: change - 40 * 3_600_000, untilMs: change + 40 * 3_600_000 };
      const forwards: number[] = [];
      let slot = nextSlot(schedule, range.afterMs);
      while (slot !== null && slot <= range.untilMs && forwards.length < 10_000) {
        forwards.push(slot);
        slot = nextSlot(schedule, slot);
      }
      expect(slotsBetween(schedule, range, 10_000)).toEqual(forwards);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
