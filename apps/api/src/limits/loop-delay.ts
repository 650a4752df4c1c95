import { monitorEventLoopDelay } from "node:perf_hooks";

const WINDOW_MS = 1000;
const RESOLUTION_MS = 10;

export type LoopDelay = ReturnType<typeof watchLoopDelay>;

/**
 * Measures the mean turn of the event loop in windows of a second, and returns the lesser of the last
 * two: a single long turn, as at the start, is over once it is measured.
 */
export function watchLoopDelay() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let last = 0;
  let lastButOne = 0;
  const timer = setInterval(() => {
    lastButOne = last;
    last = histogram.count === 0 ? 0 : histogram.mean / 1e6;
    histogram.reset();
  }, WINDOW_MS).unref();
  return {
    currentMs: (): number => Math.min(last, lastButOne),
    close: (): void => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
