import { type ClockSpan, findClockSpan } from "./clock-spans.ts";
import { findNextLocal, findPreviousLocal } from "./local-times.ts";
import type { Cron } from "./parse-cron.ts";

// A slot is an instant at which a schedule fires, in milliseconds since 1970 (UTC). Its clock's changes cut time
// into spans of one offset each. On the clock of a span, an expression has the local times of a window:
//
// - Intervals have what the clock shows, so skipped times have no slot, and repeated ones have two.
// - Fixed times have all that the clock has not shown before: skipped ones, which fall on the span's start, and not
//   those that are shown again.

/** How far a slot is looked for: days of ten years. Of 29 February, two are at most eight years apart. */
const HORIZON_MS = 3653 * 86_400_000;

/** When something fires. */
export type Schedule =
  | {
      readonly kind: "cron";
      readonly cron: Cron;
      /** An IANA time zone. */
      readonly timezone: string;
    }
  | {
      readonly kind: "interval";
      /** A whole number from 60. */
      readonly everySeconds: number;
      /** The first slot; the others follow by elapsed time. */
      readonly anchorMs: number;
    };

/** The first slot after `afterMs`, exclusive; null if none comes in ten years. */
export function nextSlot(schedule: Schedule, afterMs: number): number | null {
  const limitMs = afterMs + HORIZON_MS;
  const slot =
    schedule.kind === "cron"
      ? findNext(schedule, Math.floor(afterMs), limitMs)
      : nextOfInterval(schedule, afterMs);
  return slot !== null && slot <= limitMs ? slot : null;
}

/** The last slot before `beforeMs`, exclusive; null if there was none in ten years. */
export function previousSlot(schedule: Schedule, beforeMs: number): number | null {
  const limitMs = beforeMs - HORIZON_MS;
  const slot =
    schedule.kind === "cron"
      ? findPrevious(schedule, Math.ceil(beforeMs) - 1, limitMs)
      : previousOfInterval(schedule, beforeMs);
  return slot !== null && slot >= limitMs ? slot : null;
}

/** The newest `max` slots after `afterMs`, exclusive, up to `untilMs`, inclusive; the oldest first. */
export function slotsBetween(
  schedule: Schedule,
  { afterMs, untilMs }: { afterMs: number; untilMs: number },
  max: number,
): number[] {
  const slots: number[] = [];
  let slot = previousSlot(schedule, untilMs + 1);
  while (slot !== null && slot > afterMs && slots.length < max) {
    slots.push(slot);
    slot = previousSlot(schedule, slot);
  }
  return slots.toReversed();
}

type CronSchedule = Extract<Schedule, { kind: "cron" }>;
type IntervalSchedule = Extract<Schedule, { kind: "interval" }>;

function findNext({ cron, timezone }: CronSchedule, afterMs: number, limitMs: number) {
  for (let atMs = afterMs; atMs <= limitMs;) {
    const span = findClockSpan(timezone, atMs);
    const { firstMs, endMs } = windowOf(cron, span);
    const fromMs =
      afterMs < span.startMs ? firstMs : Math.max(firstMs, afterMs + 1 + span.offsetMs);
    const lastMs = Math.min(endMs, limitMs + 1 + span.offsetMs);
    const localMs = findNextLocal(cron, fromMs, lastMs);
    if (localMs !== null) return slotOf(span, localMs);
    atMs = span.endMs;
  }
  return null;
}

function findPrevious({ cron, timezone }: CronSchedule, upToMs: number, limitMs: number) {
  for (let atMs = upToMs; atMs >= limitMs;) {
    const span = findClockSpan(timezone, atMs);
    const { firstMs, endMs } = windowOf(cron, span);
    const fromMs = Math.min(endMs - 1, atMs + span.offsetMs);
    const localMs = findPreviousLocal(cron, fromMs, Math.max(firstMs, limitMs + span.offsetMs));
    if (localMs !== null) return slotOf(span, localMs);
    atMs = span.startMs - 1;
  }
  return null;
}

/** The local times that an expression may have on the clock of a span. */
function windowOf({ isFixed }: Cron, span: ClockSpan): { firstMs: number; endMs: number } {
  const firstMs = span.startMs + (isFixed ? span.offsetBeforeMs : span.offsetMs);
  return { firstMs, endMs: span.endMs + span.offsetMs };
}

const slotOf = ({ startMs, offsetMs }: ClockSpan, localMs: number): number =>
  Math.max(startMs, localMs - offsetMs);

function nextOfInterval(schedule: IntervalSchedule, afterMs: number): number {
  const everyMs = intervalMs(schedule);
  const passed = Math.floor((afterMs - schedule.anchorMs) / everyMs);
  return schedule.anchorMs + Math.max(0, passed + 1) * everyMs;
}

function previousOfInterval(schedule: IntervalSchedule, beforeMs: number): number | null {
  const everyMs = intervalMs(schedule);
  const passed = Math.ceil((beforeMs - schedule.anchorMs) / everyMs) - 1;
  return passed < 0 ? null : schedule.anchorMs + passed * everyMs;
}

function intervalMs({ everySeconds }: IntervalSchedule): number {
  if (Number.isSafeInteger(everySeconds) && everySeconds >= 60) return everySeconds * 1000;
  throw new RangeError(`everySeconds is ${everySeconds}, not a whole number from 60`);
}
