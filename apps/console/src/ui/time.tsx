import { useSyncExternalStore } from "react";

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

const precise = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

interface TimeProps {
  readonly at: number | string;
  /** Whether its milliseconds are shown, instead of its day. */
  readonly isPrecise?: boolean;
  /** Whether its day and time are shown, however near it is. */
  readonly isAbsolute?: boolean;
}

/**
 * A moment: within a week, how long ago it was or how soon it is; else its day and time in the reader's zone, which the
 * title always has.
 */
export function Time({ at, isPrecise = false, isAbsolute = false }: TimeProps) {
  const now = useSyncExternalStore(eachMinute, () => minute);
  const date = new Date(at);
  const distance = isPrecise || isAbsolute ? undefined : formatDistance(date.getTime() - now);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
      {distance ?? (isPrecise ? precise : dayAndTime).format(date)}
    </time>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const distances = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const units = [
  ["day", DAY_MS],
  ["hour", 60 * MINUTE_MS],
  ["minute", MINUTE_MS],
] as const;

/** A distance from now in words, as in "5 min ago"; undefined for one of a week or more. */
export function formatDistance(ms: number): string | undefined {
  const size = Math.abs(ms);
  if (size >= 7 * DAY_MS) return undefined;
  const unit = units.find(([, length]) => size >= length);
  return unit === undefined ? "just now" : distances.format(Math.trunc(ms / unit[1]), unit[0]);
}

// The times of a page change together, once a minute.
let minute = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function eachMinute(listener: () => void): () => void {
  if (listeners.size === 0) minute = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    minute = Date.now();
    for (const one of listeners) one();
  }, MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A duration in the unit that reads best. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes} min ${Math.round((ms - minutes * 60_000) / 1000)} s`;
}

const numbers = new Intl.NumberFormat();

/** A number with thousands separators. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}
