/** A time between two changes of a place's clock. */
export interface ClockSpan {
  /** The change that it begins with; `-Infinity` before the first. */
  readonly startMs: number;
  /** The change that it ends before; `Infinity` after the last. */
  readonly endMs: number;
  /** What its clock shows less UTC. */
  readonly offsetMs: number;
  /** What the clock showed before its start, less UTC. */
  readonly offsetBeforeMs: number;
}

/** Names that requests may have and the runtime does not, each with the zone that it stands for. */
const otherNames: Readonly<Record<string, string>> = {
  Factory: "UTC",
  "US/Pacific-New": "America/Los_Angeles",
};

/** The span of an instant. Throws a RangeError for a name that is not of a time zone, and outside the range of Date. */
export function findClockSpan(timezone: string, atMs: number): ClockSpan {
  const zone = otherNames[timezone] ?? timezone;
  const at = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  // A change is looked for strictly before an instant: one at `atMs` is the start of its span.
  const start = at.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const end = at.getTimeZoneTransition("next");
  return {
    startMs: start?.epochMilliseconds ?? -Infinity,
    endMs: end?.epochMilliseconds ?? Infinity,
    offsetMs: offsetOf(at),
    offsetBeforeMs: offsetOf(start?.subtract({ milliseconds: 1 }) ?? at),
  };
}

const offsetOf = (at: Temporal.ZonedDateTime): number => at.offsetNanoseconds / 1_000_000;
