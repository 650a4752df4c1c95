import type { Output } from "parley-client";
import { formatDuration, formatNumber } from "../ui/time.tsx";
import { type Figures, formatMoney, type Measures } from "./periods.ts";

export type Overview = Output<"overview.get">;

/** One line of a chart: a value for each time, null for none. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** A chart: a line, or up to three that are of the same unit. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

/** The charts of what happened, in their order. */
export function chartsOf({ points, totals }: Measures): Chart[] {
  const line = (name: string, valueOf: (figures: Figures) => number | null): Line => ({
    name,
    values: points.map(valueOf),
  });
  const latency = (title: string, of: "firstToken" | "whole"): Chart => ({
    title,
    lines: [
      line("p50", (figures) => figures[of]?.p50 ?? null),
      line("p95", (figures) => figures[of]?.p95 ?? null),
      line("p99", (figures) => figures[of]?.p99 ?? null),
    ],
    format: formatDuration,
  });
  const costOf = (currency: string) => (figures: Figures) =>
    Number(figures.amounts.find((one) => one.currency === currency)?.amount ?? 0);
  return [
    {
      title: "Answers",
      lines: [
        line("Ended", ({ answers }) => answers),
        line("Failed", ({ errored }) => errored),
        line("Cancelled", ({ cancelled }) => cancelled),
      ],
      format: formatNumber,
    },
    latency("Time to first token", "firstToken"),
    latency("Time of a whole answer", "whole"),
    {
      title: "Tool calls",
      lines: [
        line("Ended", ({ toolCalls }) => toolCalls),
        line("Failed", ({ toolCallsErrored }) => toolCallsErrored),
      ],
      format: formatNumber,
    },
    {
      title: "Tokens",
      lines: [
        line("Input", ({ inputTokens }) => inputTokens),
        line("Output", ({ outputTokens }) => outputTokens),
        line("Cached input", ({ cachedInputTokens }) => cachedInputTokens),
      ],
      format: formatNumber,
    },
    ...totals.amounts.map(({ currency }) => ({
      title: `Cost in ${currency}`,
      lines: [line(currency, costOf(currency))],
      format: (value: number) => formatMoney(value, currency),
    })),
  ];
}

/** The charts of what else happens, and of what waits, in their order. */
export function activityCharts({ series }: Overview): Chart[] {
  const one = (title: string, values: readonly number[], format = formatNumber): Chart => ({
    title,
    lines: [{ name: title, values }],
    format,
  });
  return [
    one("Conversations", series.conversations),
    one("Invocations and tool calls", series.invocations),
    one("Queued runs", series.waitingRuns),
    one("Oldest queued run", series.oldestWaitingMs, formatDuration),
    one("Open streams", series.openStreams),
  ];
}

/** The highest value of a line; null without any. */
export function peakOf({ values }: Line): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
