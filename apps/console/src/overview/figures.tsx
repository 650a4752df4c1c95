import { formatDuration, formatNumber } from "../ui/time.tsx";
import type { Overview } from "./charts.ts";
import {
  changeOf,
  errorRateOf,
  type Figures as Numbers,
  formatMoney,
  type Measures,
} from "./periods.ts";

/** A figure with how it has changed. */
interface Figure {
  readonly name: string;
  readonly value: string;
  readonly change?: string | undefined;
}

/** Figures beside each other. */
function Row({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) {
  return (
    <dl aria-label={label} className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {figures.map(({ name, value, change }) => (
        <div key={name} className="rounded-lg border border-line bg-surface px-4 py-3">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          {change !== undefined && (
            <dd className="text-sm text-muted tabular-nums">{change} against the period before</dd>
          )}
        </div>
      ))}
    </dl>
  );
}

/** The current figures. */
export function Now({ now }: { readonly now: Overview["now"] }) {
  const { waitingRuns, oldestWaitingMs, runningRuns, openStreams } = now;
  const oldest = oldestWaitingMs === null ? "None" : formatDuration(oldestWaitingMs);
  return (
    <Row
      label="Now"
      figures={[
        { name: "Queued", value: formatNumber(waitingRuns) },
        { name: "Oldest queued", value: oldest },
        { name: "Running", value: formatNumber(runningRuns) },
        { name: "Open streams", value: formatNumber(openStreams) },
      ]}
    />
  );
}

const percent = (value: number | null) => (value === null ? "–" : `${value.toFixed(1)} %`);

/** The figures of a period, each with its change against the period before. */
export function Figures({ measures }: { readonly measures: Measures }) {
  const { totals, before, from, to } = measures;
  const latency = (title: string, of: "firstToken" | "whole") =>
    (["p50", "p95", "p99"] as const).map((name): Figure => {
      const value = totals[of]?.[name] ?? null;
      return {
        name: `${title}, ${name}`,
        value: value === null ? "–" : formatDuration(value),
        change: changeOf(value, before[of]?.[name] ?? null),
      };
    });
  const perMinute = (figures: Numbers) => figures.answers / ((to - from) / 60_000);
  const cost = totals.amounts.map(({ currency, amount }): Figure => {
    const earlier = before.amounts.find((one) => one.currency === currency)?.amount ?? 0;
    return {
      name: `Cost in ${currency}`,
      value: formatMoney(Number(amount), currency),
      change: changeOf(Number(amount), Number(earlier)),
    };
  });
  return (
    <Row
      label="In this period"
      figures={[
        {
          name: "Answers",
          value: formatNumber(totals.answers),
          change: changeOf(totals.answers, before.answers),
        },
        {
          name: "Answers per minute",
          value: perMinute(totals).toFixed(2),
        },
        {
          name: "Failed",
          value: percent(errorRateOf(totals)),
          change: changeOf(errorRateOf(totals), errorRateOf(before)),
        },
        {
          name: "Tool calls",
          value: formatNumber(totals.toolCalls),
          change: changeOf(totals.toolCalls, before.toolCalls),
        },
        ...latency("First token", "firstToken"),
        ...latency("Whole answer", "whole"),
        ...cost,
      ]}
    />
  );
}
