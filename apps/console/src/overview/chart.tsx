import { useMemo, useRef, useState } from "react";
import { join } from "../ui/join.ts";
import { Table } from "../ui/table.tsx";
import { formatDuration, Time } from "../ui/time.tsx";
import { type Chart, formatBucket, type Overview } from "./charts.ts";
import { Plot } from "./plot.tsx";

const tones = ["text-accent", "text-warn"] as const;

interface ChartFigureProps {
  readonly chart: Chart;
  readonly overview: Overview;
  /** The shown period, as in "the last hour". */
  readonly span: string;
}

/** A chart with its peak, the value pointed at, and all values as a table. */
export function ChartFigure({ chart, overview, span }: ChartFigureProps) {
  const { title, format } = chart;
  const { times, series } = overview;
  const [pointed, setPointed] = useState<number | null>(null);
  const swatches = useRef<HTMLUListElement>(null);
  const lines = useMemo(
    () =>
      chart.lines
        .filter((line) => line !== undefined)
        .map((line) => ({ name: line.name, values: series[line.series] })),
    [chart, series],
  );
  const values = useMemo(() => lines.map((line) => line.values), [lines]);
  const at = pointed === null ? undefined : times[pointed];
  const said = lines.map(({ name, values: all }) => `${name}: peak ${format(Math.max(...all))}`);
  return (
    <section
      aria-label={title}
      className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 rounded-lg border border-line p-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="font-medium">{title}</h2>
        <span className="text-sm text-muted tabular-nums">
          {at === undefined ? "peak" : formatBucket(at)}
        </span>
      </div>
      <ul ref={swatches} className="flex flex-wrap gap-x-4 text-sm tabular-nums">
        {lines.map(({ name, values: all }, line) => (
          <li key={name} className={join("flex items-center gap-1.5", tones[line])}>
            <svg viewBox="0 0 16 4" className="w-4 shrink-0" aria-hidden="true">
              <path
                d="M0 2h16"
                stroke="currentColor"
                strokeWidth="3"
                strokeDasharray={line > 0 ? "5 4" : undefined}
              />
            </svg>
            {lines.length > 1 && <span className="text-ink">{name}</span>}
            <span className="font-medium">
              {format(pointed === null ? Math.max(...all) : (all[pointed] ?? 0))}
            </span>
          </li>
        ))}
      </ul>
      <Plot
        label={`${title} in ${span}. ${said.join("; ")}`}
        times={times}
        lines={values}
        colours={() => [...(swatches.current?.children ?? [])]}
        formatTick={format === formatDuration ? format : undefined}
        onPoint={setPointed}
      />
      <Numbers chart={chart} times={times} lines={lines} />
    </section>
  );
}

interface NumbersProps {
  readonly chart: Chart;
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** All numbers of a chart, the newest first; rendered once they are opened. */
function Numbers({ chart, times, lines }: NumbersProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-sm text-muted">
        Numbers<span className="sr-only"> of {chart.title}</span>
      </summary>
      {isOpen && (
        <div className="mt-2 max-h-80 overflow-y-auto text-sm tabular-nums">
          <Table
            label={`${chart.title}, as numbers`}
            rows={times.map((time, index) => ({ time, index })).toReversed()}
            keyOf={({ time }) => time}
            columns={{
              From: ({ time }) => <Time at={time} />,
              ...Object.fromEntries(
                lines.map(({ name, values }) => [
                  name,
                  ({ index }) => chart.format(values[index] ?? 0),
                ]),
              ),
            }}
          />
        </div>
      )}
    </details>
  );
}
