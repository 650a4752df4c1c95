import { Link } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { join } from "../ui/join.ts";
import { Table } from "../ui/table.tsx";
import { formatDuration } from "../ui/time.tsx";
import { type Chart, type Line, peakOf } from "./charts.ts";
import { formatStep } from "./periods.ts";
import { dashes, Plot } from "./plot.tsx";

const tones = ["text-accent", "text-warn", "text-good"] as const;

interface ChartFigureProps {
  readonly chart: Chart;
  /** When each step began, and how long one is. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** The shown period, as in "the last hour". */
  readonly span: string;
  /** Opens the runs of a step that is clicked. */
  readonly onSelect?: ((time: number) => void) | undefined;
}

const shown = (chart: Chart, value: number | null | undefined) =>
  value == null ? "–" : chart.format(value);

/** A chart with its peak, the value pointed at, and all values as a table. */
export function ChartFigure({ chart, times, stepMs, span, onSelect }: ChartFigureProps) {
  const { title, format, lines } = chart;
  const [pointed, setPointed] = useState<number | null>(null);
  const swatches = useRef<HTMLUListElement>(null);
  const values = useMemo(() => lines.map((line) => line.values), [lines]);
  const at = pointed === null ? undefined : times[pointed];
  const said = lines.map((line) => `${line.name}: peak ${shown(chart, peakOf(line))}`);
  return (
    <section
      aria-label={title}
      className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 rounded-lg border border-line p-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="font-medium">{title}</h3>
        <span className="text-sm text-muted tabular-nums">
          {at === undefined ? "peak" : formatStep(at, stepMs)}
        </span>
      </div>
      <ul ref={swatches} className="flex flex-wrap gap-x-4 text-sm tabular-nums">
        {lines.map((line, index) => (
          <li key={line.name} className={join("flex items-center gap-1.5", tones[index])}>
            <svg viewBox="0 0 16 4" className="w-4 shrink-0" aria-hidden="true">
              <path
                d="M0 2h16"
                stroke="currentColor"
                strokeWidth="3"
                strokeDasharray={dashes[index]?.join(" ")}
              />
            </svg>
            {lines.length > 1 && <span className="text-ink">{line.name}</span>}
            <span className="font-medium">
              {shown(chart, pointed === null ? peakOf(line) : line.values[pointed])}
            </span>
          </li>
        ))}
      </ul>
      <Plot
        label={`${title} in ${span}. ${said.join("; ")}`}
        times={times}
        lines={values}
        colours={() => [...(swatches.current?.children ?? [])]}
        formatTime={(time) => formatStep(time, stepMs)}
        formatTick={format === formatDuration ? format : undefined}
        onPoint={setPointed}
        onSelect={onSelect && ((index) => onSelect(times[index] ?? 0))}
      />
      <Numbers chart={chart} times={times} stepMs={stepMs} isLinked={onSelect !== undefined} />
    </section>
  );
}

interface NumbersProps {
  readonly chart: Chart;
  readonly times: readonly number[];
  readonly stepMs: number;
  /** Whether each time leads to its runs. */
  readonly isLinked: boolean;
}

/** All numbers of a chart, the newest first; rendered once they are opened. */
function Numbers({ chart, times, stepMs, isLinked }: NumbersProps) {
  const [isOpen, setOpen] = useState(false);
  const columnOf =
    ({ values }: Line) =>
    ({ index }: { readonly index: number }) =>
      shown(chart, values[index]);
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
              From: ({ time }) =>
                isLinked ? (
                  <Link
                    to="/runs"
                    search={{ endedFrom: time, endedTo: time + stepMs }}
                    className="underline"
                  >
                    {formatStep(time, stepMs)}
                  </Link>
                ) : (
                  formatStep(time, stepMs)
                ),
              ...Object.fromEntries(chart.lines.map((line) => [line.name, columnOf(line)])),
            }}
          />
        </div>
      )}
    </details>
  );
}
