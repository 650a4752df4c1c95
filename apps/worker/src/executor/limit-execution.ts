import { setImmediate as yieldToLoop } from "node:timers/promises";
import {
  type ExecutionEvent,
  type ExecutorEvent,
  fitsBytes,
  InvocationErrorCode,
  isDeeperThan,
  type StoredProgram,
  timedOut,
  toStorable,
  toStorableJson,
} from "@parley/schema";
import type { Execution, SandboxExecutor } from "./executor.ts";

const MAX_DEPTH = 64;

/**
 * Ends an execution with its result as JSON that can be stored: `bad_return` for what JSON cannot
 * hold, `output_too_large` for more than `maxBytes` of it.
 */
function boundResult(result: unknown, maxBytes: number): ExecutionEvent {
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n", 1)[0] : "it threw";
    return errored("bad_return", `The result must be JSON: ${why}`);
  }
  if (json === undefined)
    return errored("bad_return", `The result must be JSON, not ${typeof result}`);
  if (!fitsBytes(json, maxBytes)) {
    return errored("output_too_large", `The result must be at most ${maxBytes} bytes of JSON`);
  }
  if (isDeeperThan(json, MAX_DEPTH)) {
    return errored("bad_return", `The result must not be nested deeper than ${MAX_DEPTH}`);
  }
  return { type: "succeeded", result: toStorableJson(JSON.parse(json)) };
}

function errored(code: "bad_return" | "output_too_large", message: string): ExecutionEvent {
  return { type: "errored", error: { code, message } };
}

/** Longest line of output; the rest is cut. */
export const MAX_LINE_CHARACTERS = 16_384;
const MAX_LABEL_CHARACTERS = 1024;
const MAX_MESSAGE_CHARACTERS = 4096;
const CUT = " … (cut)";
/** Progress events of an execution; further ones are dropped. */
const MAX_PROGRESS = 10_000;
/** Why executors stop after each execution; an error with a stack of its own would cost 6 us. */
const ENDED = new Error("The execution has ended");
/** What an executor may take to say that no place was free. */
const QUEUE_GRACE_MS = 1000;
/** An executor that never waits would starve timers and signals. */
const EVENTS_BETWEEN_YIELDS = 100;

/**
 * Runs an executor within the limits: every event can be stored, exactly one terminal event is the
 * last, and it comes in time even if the executor ignores its signal. Throws only when the signal
 * aborts.
 */
export async function* limitExecution<P extends StoredProgram>(
  executor: SandboxExecutor<P>,
  execution: Execution<P>,
): AsyncGenerator<ExecutionEvent, void, undefined> {
  const { limits, signal } = execution;
  signal.throwIfAborted();
  const stop = new AbortController();
  const lines: Counts = { passed: 0, dropped: 0 };
  const reports: Counts = { passed: 0, dropped: 0 };
  const deadline = startDeadline(limits.timeoutMs, signal);
  let events: AsyncIterator<ExecutorEvent> | undefined;
  let terminal: ExecutionEvent | undefined;
  try {
    for (let count = 1; terminal === undefined; count++) {
      const next = await deadline.race(async () => {
        events ??= executor.execute({ ...execution, signal: stop.signal })[Symbol.asyncIterator]();
        return events.next();
      });
      if (next === "passed") terminal = timedOut(limits);
      else if (next.done === true) terminal = failed("The function ended without an outcome");
      else if (next.value.type === "queued") deadline.restart(next.value.forMs + QUEUE_GRACE_MS);
      else if (next.value.type === "began") {
        deadline.restart(limits.timeoutMs + (next.value.waitsMs ?? 0));
      } else if (next.value.type === "log") {
        if (fits(lines, limits.maxLogLines)) yield boundLine(next.value);
      } else if (next.value.type === "progress") {
        if (fits(reports, MAX_PROGRESS)) yield boundProgress(next.value);
      } else if (next.value.type === "dropped") {
        lines.dropped += next.value.lines;
        reports.dropped += next.value.reports;
      } else terminal = boundEnd(next.value, execution);
      if (count % EVENTS_BETWEEN_YIELDS === 0) await yieldToLoop();
    }
  } catch (error) {
    signal.throwIfAborted();
    terminal = failed(`The function could not be run: ${messageOf(error)}`);
  } finally {
    deadline.clear();
    stop.abort(signal.reason ?? ENDED);
    // It may never settle, and errors after the end do not matter.
    void Promise.resolve(events?.return?.()).catch(() => undefined);
  }
  yield* reportDropped(lines, reports);
  yield terminal;
}

/** Waits for one promise at a time, until the timeout passes or the signal aborts. */
function startDeadline(timeoutMs: number, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<"passed">();
  // It may reject while nothing waits for it.
  promise.catch(() => undefined);
  const start = (ms: number) => setTimeout(() => resolve("passed"), ms);
  let timer = start(timeoutMs);
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return {
    race: <T>(work: () => Promise<T>) => Promise.race([promise, work()]),
    restart: (ms: number): void => {
      clearTimeout(timer);
      timer = start(ms);
    },
    clear: (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

function boundEnd(event: ExecutionEvent, { limits }: Pick<Execution, "limits">): ExecutionEvent {
  if (event.type === "succeeded") return boundResult(event.result, limits.maxOutputBytes);
  if (event.type !== "errored") return failed("The function sent an event of an unknown type");
  const { code, message, status } = event.error;
  if (!InvocationErrorCode.safeParse(code).success) return failed(message);
  const error = { code, message: cut(message, MAX_MESSAGE_CHARACTERS) };
  return {
    type: "errored",
    error: Number.isSafeInteger(status) ? { ...error, status: status! } : error,
    ...(event.asksUser instanceof Promise && { asksUser: event.asksUser }),
  };
}

function boundLine({ stream, text }: ExecutionEvent & { type: "log" }): ExecutionEvent {
  const known = stream === "stderr" ? "stderr" : "stdout";
  return { type: "log", stream: known, text: cut(text, MAX_LINE_CHARACTERS) };
}

function boundProgress({
  done,
  total,
  label,
}: ExecutionEvent & { type: "progress" }): ExecutionEvent {
  const finite = (value: unknown): number => (Number.isFinite(value) ? Number(value) : 0);
  const bounded = cut(label, MAX_LABEL_CHARACTERS);
  return { type: "progress", done: finite(done), total: finite(total), label: bounded };
}

/** How many events of a kind were passed on, and how many came past their limit. */
interface Counts {
  passed: number;
  dropped: number;
}

/** Counts an event, and says whether it is passed on. */
function fits(counts: Counts, max: number): boolean {
  if (counts.passed < max) return ++counts.passed > 0;
  counts.dropped++;
  return false;
}

/** A line about the events past their limits, if there are any. What was passed on is as many as the limit. */
function* reportDropped(
  lines: Counts,
  reports: Counts,
): Generator<ExecutionEvent, void, undefined> {
  const parts = [
    ...(lines.dropped > 0 ? [`${lines.dropped} more lines (limit: ${lines.passed})`] : []),
    ...(reports.dropped > 0
      ? [`${reports.dropped} more reports of progress (limit: ${reports.passed})`]
      : []),
  ];
  if (parts.length === 0) return;
  yield { type: "log", stream: "stderr", text: `left out: ${parts.join(", ")}` };
}

function failed(message: unknown): ExecutionEvent {
  const bounded = cut(message, MAX_MESSAGE_CHARACTERS);
  return { type: "errored", error: { code: "invocation_failed", message: bounded } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Storable text of at most `max` characters; longer text ends with a mark. */
function cut(given: unknown, max: number): string {
  const text = String(given);
  // Cutting may split a surrogate pair, so it comes first.
  return toStorable(text.length <= max ? text : text.slice(0, max - CUT.length) + CUT);
}
