import { useState } from "react";
import { join } from "../ui/join.ts";
import { Table } from "../ui/table.tsx";
import type { Layer } from "./usage-series.ts";

const HEIGHT = 160;
/** Units of a bar with its gap. */
const STEP = 10;
const GAP = 2;

/** One for each layer, and of neighbours that are told apart without colours too. */
const tones = [
  "fill-accent",
  "fill-warn",
  "fill-good",
  "fill-bad",
  "fill-muted",
  "fill-control",
] as const;
const toneOf = (layer: number) => tones[layer % tones.length];

interface StackedBarsProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly layers: readonly Layer[];
  readonly format: (value: number) => string;
}

/** Bars by day, each with a layer for each part, the day pointed at, and all values as a table. */
export function StackedBars({ title, days, layers, format }: StackedBarsProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const sumOf = (day: number) => layers.reduce((sum, { values }) => sum + (values[day] ?? 0), 0);
  const sums = days.map((_day, index) => sumOf(index));
  const highest = Math.max(...sums, 0);
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const shown = (values: readonly number[]) =>
    format(pointed === null ? total(values) : (values[pointed] ?? 0));
  return (
    <section
      aria-label={title}
      className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 rounded-lg border border-line p-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="font-medium">{title}</h2>
        <span className="text-sm text-muted tabular-nums">
          {pointed === null ? "in all" : days[pointed]}
        </span>
      </div>
      <ul className="flex flex-wrap gap-x-4 text-sm tabular-nums">
        {layers.map(({ name, values }, layer) => (
          <li key={name} className="flex items-center gap-1.5">
            <svg
              viewBox="0 0 8 8"
              className={join("size-2.5 shrink-0", toneOf(layer))}
              aria-hidden="true"
            >
              <rect width="8" height="8" />
            </svg>
            {layers.length > 1 && <span>{name}</span>}
            <span className="font-medium">{shown(values)}</span>
          </li>
        ))}
      </ul>
      <svg
        role="img"
        aria-label={`${title}. Highest day: ${format(highest)}`}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line"
        onPointerLeave={() => setPointed(null)}
      >
        {days.map((day, index) => (
          <g key={day} onPointerEnter={() => setPointed(index)}>
            <rect x={index * STEP} width={STEP} height={HEIGHT} className="fill-transparent" />
            {barsOf(layers, index, highest).map(({ layer, y, height }) => (
              <rect
                key={layer}
                x={index * STEP + GAP / 2}
                width={STEP - GAP}
                y={y}
                height={height}
                className={toneOf(layer)}
              />
            ))}
          </g>
        ))}
      </svg>
      <div className="flex justify-between text-sm text-muted tabular-nums">
        <span>{days[0]}</span>
        <span>{days.at(-1)}</span>
      </div>
      <Numbers title={title} days={days} layers={layers} format={format} />
    </section>
  );
}

/** The layers of a day, from below. */
function barsOf(layers: readonly Layer[], day: number, highest: number) {
  let below = 0;
  return layers.flatMap(({ values }, layer) => {
    const height = highest === 0 ? 0 : ((values[day] ?? 0) / highest) * HEIGHT;
    below += height;
    return height === 0 ? [] : [{ layer, y: HEIGHT - below, height }];
  });
}

/** All numbers of a chart, the newest first; rendered once they are opened. */
function Numbers({ title, days, layers, format }: StackedBarsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-sm text-muted">
        Numbers<span className="sr-only"> of {title}</span>
      </summary>
      {isOpen && (
        <div className="mt-2 max-h-80 overflow-y-auto text-sm tabular-nums">
          <Table
            label={`${title}, as numbers`}
            rows={days.map((day, index) => ({ day, index })).toReversed()}
            keyOf={({ day }) => day}
            columns={{
              Day: ({ day }) => day,
              ...Object.fromEntries(
                layers.map(({ name, values }) => [name, ({ index }) => format(values[index] ?? 0)]),
              ),
            }}
          />
        </div>
      )}
    </details>
  );
}
