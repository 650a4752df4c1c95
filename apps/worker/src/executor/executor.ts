import type { InvocationError, InvocationLimits, StoredProgram } from "@parley/schema";

export interface Execution<P extends StoredProgram = StoredProgram> {
  /** Work is bounded per workspace. */
  readonly workspaceId: number;
  readonly functionId: string;
  /** A version never changes: what is prepared for it can be cached. */
  readonly version: number;
  readonly program: P;
  /** JSON of the input. */
  readonly input: string;
  /** IANA name of the caller's time zone. */
  readonly timezone: string;
  /** Seed of random choices: equal seeds and inputs give equal runs. */
  readonly seed: string;
  /** Attempt at the invocation, from 1. */
  readonly attempt: number;
  /** Limits that the executor should stop at; `limitExecution` enforces them. */
  readonly limits: InvocationLimits;
  readonly signal: AbortSignal;
}

/** Events of an execution, in order; `succeeded` or `errored` is the last. */
export type ExecutionEvent =
  | { readonly type: "log"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | {
      readonly type: "progress";
      readonly done: number;
      readonly total: number;
      readonly label: string;
    }
  | { readonly type: "succeeded"; readonly result: unknown }
  | {
      readonly type: "errored";
      readonly error: InvocationError;
      /** Where nothing has run, and the user of a tool is to be asked for more: once this has resolved. */
      readonly asksUser?: Promise<void>;
    };

/** What an executor says beside the events of the function. */
export type ExecutorEvent =
  | ExecutionEvent
  /** Before anything else: the execution waits for a place, for this long at most. */
  | { readonly type: "queued"; readonly forMs: number }
  /** After `queued`: the timeout counts from here, without the `waitsMs` that it may wait for its turn. */
  | { readonly type: "began"; readonly waitsMs?: number }
  /** Lines and reports past their limits, which the executor left out itself. */
  | { readonly type: "dropped"; readonly lines: number; readonly reports: number };

/**
 * Runs sandbox functions. A function's failure is a value; throws only when the signal aborts.
 * Its events are untrusted: every executor is called through `limitExecution`.
 */
export interface SandboxExecutor<P extends StoredProgram = StoredProgram> {
  execute(execution: Execution<P>): AsyncIterable<ExecutorEvent>;
  /** Releases what is cached between executions; the executor can be used again. */
  close(): Promise<void>;
}

/** The failure of a function that exceeded its timeout. */
export function timedOut({ timeoutMs }: InvocationLimits): ExecutionEvent & { type: "errored" } {
  const message = `The function did not end within ${timeoutMs} ms`;
  return { type: "errored", error: { code: "timed_out", message } };
}
