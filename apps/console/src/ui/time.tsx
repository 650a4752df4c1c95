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
}

/** A moment, in the reader's time zone. */
export function Time({ at, isPrecise = false }: TimeProps) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
      {(isPrecise ? precise : dayAndTime).format(date)}
    </time>
  );
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
