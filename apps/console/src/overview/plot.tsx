import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { join } from "../ui/join.ts";
import { useTheme } from "../ui/theme.ts";

const HEIGHT = 160;

/** How lines are drawn, so that they are not told apart by colour alone. */
export const dashes: readonly (number[] | undefined)[] = [undefined, [5, 4], [2, 3]];

/** Steps of an axis: 1, 2 and 5 times powers of ten, since all values are integers. */
const STEPS = Array.from({ length: 14 }, (_, zeros) =>
  [1, 2, 5].map((one) => one * 10 ** zeros),
).flat();

const compact = new Intl.NumberFormat(undefined, { notation: "compact" });

interface PlotProps {
  readonly label: string;
  readonly times: readonly number[];
  /** Values of each line, one for each time. */
  readonly lines: readonly (readonly (number | null)[])[];
  /** Elements whose text has the colours of the lines. */
  readonly colours: () => readonly Element[];
  /** A time as the axis shows it. */
  readonly formatTime: (time: number) => string;
  readonly formatTick?: ((value: number) => string) | undefined;
  /** Called with the index of the time that is pointed at, or null. */
  readonly onPoint: (index: number | null) => void;
  /** Called with the index of the time that is clicked. */
  readonly onSelect?: ((index: number) => void) | undefined;
}

/** Draws lines over time in a canvas, as wide as there is room. */
export function Plot(props: PlotProps) {
  const { label, times, lines, onSelect } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const now = useRef(props);
  now.current = props;
  const count = lines.length;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawn = new uPlot(
      {
        width: Math.max(1, element.clientWidth),
        height: HEIGHT,
        ms: 1,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        hooks: { setCursor: [({ cursor }) => now.current.onPoint(cursor.idx ?? null)] },
        scales: { y: { range: (_, __, highest) => [0, Math.max(1, (highest ?? 0) * 1.1)] } },
        axes: axesOf(element, {
          time: (at) => now.current.formatTime(at),
          value: (value) => (now.current.formatTick ?? compact.format)(value),
        }),
        series: [
          {},
          ...Array.from({ length: count }, (_, line) => ({
            stroke: () => colourOf(now.current.colours()[line]),
            width: 2,
            ...(dashes[line] && { dash: dashes[line] }),
            points: { show: false },
          })),
        ],
      },
      [[], ...Array.from({ length: count }, () => [])],
      element,
    );
    plot.current = drawn;
    const sizes = new ResizeObserver(() => {
      const width = Math.max(1, element.clientWidth);
      if (width !== drawn.width) drawn.setSize({ width, height: HEIGHT });
    });
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      plot.current = undefined;
      drawn.destroy();
    };
  }, [count]);
  useEffect(() => {
    plot.current?.setData([[...times], ...lines.map((values) => [...values])]);
  }, [times, lines]);
  useRedrawnInTheme(plot);
  return (
    <div
      ref={place}
      role="img"
      aria-label={label}
      // The table below has the same links for those who press keys.
      onClick={
        onSelect &&
        (() => {
          const index = plot.current?.cursor.idx;
          if (index != null) onSelect(index);
        })
      }
      className={join("overflow-hidden border-line text-muted", onSelect && "cursor-pointer")}
    />
  );
}

/** Redraws when the colours of the page change, since a canvas keeps the old ones. */
function useRedrawnInTheme(plot: { readonly current: uPlot | undefined }): void {
  const theme = useTheme();
  useEffect(() => {
    const redraw = () => plot.current?.redraw(false);
    redraw();
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", redraw);
    return () => system.removeEventListener("change", redraw);
  }, [theme, plot]);
}

/** The axes, in the colours of an element: its text, and the grid as its border. */
function axesOf(
  element: Element,
  format: {
    readonly time: (at: number) => string;
    readonly value: (value: number) => string;
  },
): uPlot.Axis[] {
  const look = {
    stroke: () => colourOf(element),
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => getComputedStyle(element).borderTopColor, width: 1 },
    ticks: { show: false },
  };
  return [
    { ...look, space: 64, size: 28, values: (_, times) => times.map(format.time) },
    { ...look, size: 60, incrs: STEPS, values: (_, values) => values.map(format.value) },
  ];
}

function colourOf(element: Element | undefined): string {
  return element === undefined ? "" : getComputedStyle(element).color;
}
