import { setImmediate as breathe } from "node:timers/promises";
import { InvocationErrorCode, toStorable } from "@parley/schema";
import { boundResult } from "./bound-result.ts";
import {
  type Execution,
  type ExecutionEvent,
  type SandboxExecutor,
  timedOut,
} from "./sandbox-executor.ts";

const MAX_LINE_CHARACTERS = 16_384;
const MAX_LABEL_CHARACTERS = 1024;
const MAX_MESSAGE_CHARACTERS = 4096;
const CUT = " … (cut)";
/** Reports of progress that an execution may make; the last ones of more are left out. */
const MAX_PROGRESS = 10_000;
/** An executor that never waits would keep timers and signals from being seen. */
const EVENTS_BETWEEN_BREATHS = 100;

/**
 * What an executor does, held to the limits: every event can be stored, exactly one terminal event
 * is the last, and it comes in time even if the executor does not listen. Throws when the signal
 * aborts, and at no other time.
 */
export async function* limitExecution(
  executor: SandboxExecutor,
  execution: Execution,
): AsyncGenerator<ExecutionEvent, void, undefined> {
  const { limits, signal } = execution;
  signal.throwIfAborted();
  const stop = new AbortController();
  const left = { lines: 0, reports: 0 };
  let lines = 0;
  let reports = 0;
  const deadline = startDeadline(limits.timeoutMs, signal);
  let events: AsyncIterator<ExecutionEvent> | undefined;
  let terminal: ExecutionEvent | undefined;
  try {
    for (let count = 1; terminal === undefined; count++) {
      const next = await deadline.race(async () => {
        events ??= executor.execute({ ...execution, signal: stop.signal })[Symbol.asyncIterator]();
        return events.next();
      });
      if (next === "passed") terminal = timedOut(limits);
      else if (next.done === true) terminal = failed("The function ended without an outcome");
      else if (next.value.type === "log") {
        if (++lines <= limits.maxLogLines) yield boundLine(next.value);
        else left.lines++;
      } else if (next.value.type === "progress") {
        if (++reports <= MAX_PROGRESS) yield boundProgress(next.value);
        else left.reports++;
      } else terminal = boundEnd(next.value, execution);
      if (count % EVENTS_BETWEEN_BREATHS === 0) await breathe();
    }
  } catch (error) {
    signal.throwIfAborted();
    terminal = failed(`The function could not be run: ${messageOf(error)}`);
  } finally {
    deadline.clear();
    stop.abort(signal.reason);
    // It may never settle, and what it throws after its end concerns nobody.
    void Promise.resolve(events?.return?.()).catch(() => undefined);
  }
  if (left.lines + left.reports > 0) yield leftOut(left, limits.maxLogLines);
  yield terminal;
}

/** Waits for one thing at a time, until the time is over or the signal aborts. */
function startDeadline(timeoutMs: number, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<"passed">();
  // Nobody may be waiting when it rejects.
  promise.catch(() => undefined);
  const timer = setTimeout(() => resolve("passed"), timeoutMs);
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return {
    race: <T>(work: () => Promise<T>) => Promise.race([promise, work()]),
    clear: (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

function boundEnd(event: ExecutionEvent, { limits }: Execution): ExecutionEvent {
  if (event.type === "succeeded") return boundResult(event.result, limits.maxOutputBytes);
  if (event.type !== "errored") return failed("The function gave an event of no known type");
  const { code, message, status } = event.error;
  if (!InvocationErrorCode.safeParse(code).success) return failed(message);
  const error = { code, message: cut(message, MAX_MESSAGE_CHARACTERS) };
  return {
    type: "errored",
    error: Number.isSafeInteger(status) ? { ...error, status: status! } : error,
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

function leftOut(left: { lines: number; reports: number }, maxLines: number): ExecutionEvent {
  const parts = [
    ...(left.lines > 0 ? [`${left.lines} more lines (limit: ${maxLines})`] : []),
    ...(left.reports > 0
      ? [`${left.reports} more reports of progress (limit: ${MAX_PROGRESS})`]
      : []),
  ];
  return { type: "log", stream: "stderr", text: `left out: ${parts.join(", ")}` };
}

function failed(message: unknown): ExecutionEvent {
  const bounded = cut(message, MAX_MESSAGE_CHARACTERS);
  return { type: "errored", error: { code: "invocation_failed", message: bounded } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Storable text of at most `max` characters; a longer one ends with a mark. */
function cut(given: unknown, max: number): string {
  const text = String(given);
  // A pair that the cut parts is made well-formed after it.
  return toStorable(text.length <= max ? text : text.slice(0, max - CUT.length) + CUT);
}
