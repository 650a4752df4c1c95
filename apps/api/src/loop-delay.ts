import { monitorEventLoopDelay } from "node:perf_hooks";

const WINDOW_MS = 1000;
const RESOLUTION_MS = 10;

export interface LoopDelay {
  /** What the event loop lately takes for a turn, in milliseconds. */
  currentMs(): number;
  close(): void;
}

/**
 * Measures the event loop's mean turn in windows of a second, and tells the lesser of the last two:
 * a single long turn, as at the start, is over by the time it is known.
 */
export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let last = 0;
  let lastButOne = 0;
  const timer = setInterval(() => {
    lastButOne = last;
    last = histogram.count === 0 ? 0 : histogram.mean / 1e6;
    histogram.reset();
  }, WINDOW_MS);
  timer.unref();
  return {
    currentMs: () => Math.min(last, lastButOne),
    close: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
