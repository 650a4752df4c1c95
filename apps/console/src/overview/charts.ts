import type { Output } from "parley-client";
import { formatDuration, formatNumber } from "../ui/time.tsx";

export type Overview = Output<"overview.get">;

/** One line of a chart. */
interface Line {
  readonly name: string;
  readonly series: keyof Overview["series"];
}

/** A chart: one line, or two that are of the same unit. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly [Line, Line?];
  readonly format: (value: number) => string;
}

const one = (title: string, series: Line["series"], format = formatNumber): Chart => ({
  title,
  lines: [{ name: title, series }],
  format,
});

/** The charts of the overview, in their order. */
export const charts: readonly Chart[] = [
  one("Conversations", "conversations"),
  one("Turns", "turns"),
  one("Invocations and tool calls", "invocations"),
  {
    title: "Errors",
    lines: [
      { name: "Turns", series: "turnsErrored" },
      { name: "Invocations and tool calls", series: "invocationsErrored" },
    ],
    format: formatNumber,
  },
  {
    title: "Tokens",
    lines: [
      { name: "Input", series: "inputTokens" },
      { name: "Output", series: "outputTokens" },
    ],
    format: formatNumber,
  },
  {
    title: "Cached tokens",
    lines: [
      { name: "Read", series: "cachedInputTokens" },
      { name: "Written", series: "cacheWriteTokens" },
    ],
    format: formatNumber,
  },
  one("Reasoning tokens", "reasoningTokens"),
  one("Queued runs", "waitingRuns"),
  one("Oldest queued run", "oldestWaitingMs", formatDuration),
  one("Open streams", "openStreams"),
];

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** The start of a bucket, as axes and tables show it. */
export function formatBucket(time: number): string {
  return timeOfDay.format(time);
}
