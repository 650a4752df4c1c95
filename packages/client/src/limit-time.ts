import { ParleyError } from "./errors.ts";

/** A time limit, as a signal. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** The time left. */
  readonly leftMs: () => number;
  /** Lifts the limit; the caller's signal still aborts. */
  readonly lift: () => void;
  /** Releases the caller's signal and the timer. */
  readonly clear: () => void;
}

/** Aborts with the caller's signal, or with `timed_out` after a time. */
export function limitTime(outer: AbortSignal | undefined, timeoutMs: number): TimeLimit {
  const controller = new AbortController();
  const end = performance.now() + timeoutMs;
  const timeOut = (): void => {
    controller.abort(new ParleyError("timed_out", `It took longer than ${timeoutMs} ms`));
  };
  const forward = (): void => controller.abort(outer?.reason);
  // Timers take 31 bits; a longer or infinite time is not a limit.
  const timer = timeoutMs < 2 ** 31 ? setTimeout(timeOut, timeoutMs) : undefined;
  if (outer?.aborted) forward();
  else outer?.addEventListener("abort", forward, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => end - performance.now(),
    lift: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", forward);
    },
  };
}
