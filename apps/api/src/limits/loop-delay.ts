import { monitorEventLoopDelay } from "node:perf_hooks";

const WINDOW_MS = 1000;
/** The monitor wakes the process this often, which is most of what an idle server would do. */
const RESOLUTION_MS = 10;
/** Nobody has asked for so long: measuring stops until somebody does. */
const IDLE_MS = 10_000;

export type LoopDelay = ReturnType<typeof watchLoopDelay>;

/**
 * Measures the mean turn of the event loop in windows of a second, while it is asked for, and returns the
 * lesser of the last two: a single long turn, as at the start, is over once it is measured.
 */
export function watchLoopDelay() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let last = 0;
  let lastButOne = 0;
  let askedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    histogram.disable();
    histogram.reset();
    last = lastButOne = 0;
  };
  const endWindow = (): void => {
    if (performance.now() - askedAt > IDLE_MS) return stop();
    lastButOne = last;
    last = histogram.count === 0 ? 0 : histogram.mean / 1e6;
    histogram.reset();
  };
  return {
    currentMs: (): number => {
      askedAt = performance.now();
      if (timer === undefined) {
        histogram.enable();
        timer = setInterval(endWindow, WINDOW_MS).unref();
      }
      return Math.min(last, lastButOne);
    },
    close: stop,
  };
}
