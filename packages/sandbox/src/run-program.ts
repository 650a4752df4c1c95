import type { Guard } from "@parley/guarded-fetch";
import {
  type ExecutionEvent,
  type ExecutorEvent,
  type InvocationError,
  type InvocationErrorCode,
  timedOut,
} from "@parley/schema";
import type { Frame } from "./child/frames.ts";
import type { FromChild, ToChild } from "./child/messages.ts";
import type { SandboxExecution, ThrownError } from "./contract.ts";
import type { Child } from "./processes/child.ts";
import type { Place, Pool } from "./processes/places.ts";
import { MAX_WAIT_MS, PoolFull } from "./processes/pool.ts";
import type { createWatch } from "./processes/watch.ts";
import { createRedactor } from "./requests/redactor.ts";
import { createRequests, type RequestOutcome } from "./requests/requests.ts";

export interface RunServices {
  readonly pool: Pool;
  readonly watch: ReturnType<typeof createWatch>;
  readonly guard: Guard;
  readonly locateError: (error: ThrownError) => Promise<string>;
}

/** How long the code has after it was told to end, before its process is killed. */
const END_MS = 50;
/** A process of Node with the runtime, and what garbage it leaves. */
const PROCESS_BYTES = 167_772_160;
/** Threads of Node that compile the runtime and collect garbage, beside the one that runs the code. */
const groupCpuMs = ({ cpuMs }: { readonly cpuMs: number }): number => 2 * cpuMs + 5000;
/** Of a frame beside what it carries. */
const FRAME_BYTES = 1_048_576;
/** How long a process may take to be ready for its next program. */
const RENEW_MS = 5000;

/** Runs one program to its end: the rules of `Sandbox.run`. */
export async function* runProgram(
  { pool, watch, guard, locateError }: RunServices,
  execution: SandboxExecution,
): AsyncGenerator<ExecutorEvent, void, undefined> {
  const { limits, signal, secrets, bundle, onUsed } = execution;
  yield { type: "queued", forMs: MAX_WAIT_MS };
  let place: Place;
  const overload = (message: string): void => stopFor({ code: "overloaded", message });
  try {
    place = await pool.take(execution.workspaceId, { signal, overload });
  } catch (error) {
    signal.throwIfAborted();
    yield refused(error);
    return;
  }
  const { child } = place;
  const redact = createRedactor(secrets.map(({ value }) => value));
  const requests = createRequests(execution.guard ?? guard, execution, redact);
  // What it may use beside its own memory: texts of answers, which are decoded several times.
  const memoryBytes = PROCESS_BYTES + limits.memoryBytes + limits.fetchBytes * 4;
  const maxBytes = FRAME_BYTES + limits.maxOutputBytes * 4 + limits.fetchBytes;
  let fault: InvocationError | undefined;
  let isReady = false;
  let isSettled = false;
  /** Ends the code, and with it the wait for its next frame. */
  const stop = (): void => {
    place.end();
    child.send({ type: "end" });
    setTimeout(() => isReady || child.kill("stopped"), END_MS);
  };
  const stopFor = (reason: InvocationError): void => {
    fault ??= reason;
    stop();
  };
  /** Ends it after its timeout, for which time does not count that it was held up. */
  const afterTimeout = (extendedMs: number): void => {
    const { heldUpMs } = place;
    if (heldUpMs <= extendedMs) stopFor(timedOut(limits).error);
    else deadline = setTimeout(afterTimeout, heldUpMs - extendedMs, heldUpMs);
  };
  let deadline = setTimeout(afterTimeout, limits.timeoutMs, 0);
  const next = async () => {
    const frame = await child.next(maxBytes);
    isReady = frame === undefined || frame.message.type === "ready";
    return frame;
  };
  /** Gives the process back when it is ready for its next program, or gone. */
  const settle = async (): Promise<void> => {
    isSettled = true;
    place.end();
    clearTimeout(deadline);
    signal.removeEventListener("abort", stop);
    const usedMs = watch.end(child);
    onUsed?.(usedMs);
    void requests.close();
    const timer = setTimeout(() => child.kill("stopped"), RENEW_MS);
    while (!isReady) await next();
    clearTimeout(timer);
    place.leave();
  };
  const answer = async (id: number, answering: Promise<RequestOutcome>): Promise<void> => {
    const outcome = await answering;
    if ("fault" in outcome) stopFor(outcome.fault);
    else if (!isSettled) child.send({ type: "fetched", id, answer: outcome.answer }, outcome.body);
  };
  /** The end of the code, if a frame is one. */
  const endOf = ({ message, body }: Frame<FromChild>): End | undefined => {
    if (message.type === "returned") return returned(redact.text(String(body)));
    if (message.type === "ready") return failedWith("invocation_failed", "It has no outcome");
    if (message.type !== "failed") return undefined;
    const code = requests.codeOf(message.reason) ?? message.code;
    return failedWith(code, message.message);
  };
  /** An end as it is told: after the process was given back, since reading a source map takes a while. */
  const tell = async (end: End, frame: Frame<FromChild> | undefined): Promise<End> => {
    if (end.type === "succeeded" || frame?.message.type !== "failed" || fault !== undefined)
      return end;
    const { message, stack } = frame.message;
    const { workspaceId } = execution;
    const located = await locateError({ message, stack, map: bundle.map, workspaceId, signal });
    return failedWith(end.error.code, redact.text(located));
  };
  try {
    yield { type: "began", waitsMs: MAX_WAIT_MS };
    signal.throwIfAborted();
    signal.addEventListener("abort", stop, { once: true });
    watch.start(child, { cpuMs: limits.cpuMs, groupCpuMs: groupCpuMs(limits), memoryBytes });
    child.send(runMessage(execution), Buffer.from(bundle.code));
    for (;;) {
      const frame = await next();
      signal.throwIfAborted();
      const end = ((): End | undefined => {
        if (fault !== undefined) return { type: "errored", error: fault };
        return frame === undefined ? diedOf(child, limits) : endOf(frame);
      })();
      if (end !== undefined) {
        void settle();
        yield await tell(end, frame);
        return;
      }
      const { message, body } = frame!;
      if (message.type === "fetch") {
        void answer(message.id, requests.answer(message.request, body));
      } else if (message.type === "parked") place.park();
      else if (message.type === "due") place.resume(() => child.send({ type: "resume" }));
      else yield hideIn(message as Report, redact.text);
    }
  } finally {
    if (!isSettled) {
      // Its consumer left in the middle.
      stop();
      void settle();
    }
  }
}

type Report = FromChild & { type: "log" | "progress" | "dropped" };
type End = ExecutionEvent & { type: "succeeded" | "errored" };

function runMessage({ input, invocation, limits, secrets }: SandboxExecution): ToChild {
  const { cpuMs, memoryBytes, maxOutputBytes, maxLogLines, logBytes } = limits;
  const readable = secrets.filter((secret) => secret.readable);
  return {
    type: "run",
    input,
    invocation,
    limits: { cpuMs, memoryBytes, maxOutputBytes, maxLogLines, logBytes },
    secrets: Object.fromEntries(readable.map(({ name, value }) => [name, value])),
  };
}

/** A report without secrets. */
function hideIn(report: Report, hide: (text: string) => string): ExecutorEvent {
  if (report.type === "log") return { ...report, text: hide(report.text) };
  if (report.type === "dropped") return report;
  return { type: "progress", done: report.fraction, total: 1, label: hide(report.label) };
}

/** The result of the code, which is a stranger's text. */
function returned(json: string): End {
  try {
    return { type: "succeeded", result: JSON.parse(json) };
  } catch {
    return failedWith("bad_return", "The result must be JSON");
  }
}

function refused(error: unknown): End {
  if (error instanceof PoolFull) return failedWith("overloaded", error.message);
  return failedWith("invocation_failed", "The sandbox could not start a process");
}

/** Why a process ended that had not said how its code ends. */
function diedOf({ killed }: Child, { cpuMs, memoryBytes }: SandboxExecution["limits"]): End {
  if (killed === "cpu_exceeded") {
    return failedWith("cpu_exceeded", `The function used more than ${cpuMs} ms of a processor`);
  }
  if (killed === "out_of_memory") {
    return failedWith(
      "out_of_memory",
      `The function used more than ${memoryBytes} bytes of memory`,
    );
  }
  return failedWith("invocation_failed", "The process of the function ended");
}

function failedWith(code: InvocationErrorCode, message: string): End {
  return { type: "errored", error: { code, message } };
}
