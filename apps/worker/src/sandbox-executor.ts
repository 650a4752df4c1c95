import type { InvocationError, InvocationLimits, SimulatedBehaviour } from "@parley/schema";

/** What a function is made of: each executor runs one type. */
export interface Program {
  readonly type: "simulated";
  readonly behaviour: SimulatedBehaviour;
}

export interface Execution {
  readonly functionId: string;
  /** A version never changes: what is prepared for a function's version can be kept. */
  readonly version: number;
  readonly program: Program;
  /** JSON of the input. */
  readonly input: string;
  /** IANA name of the caller's time zone. */
  readonly timezone: string;
  /** What random choices are made from: equal seeds and inputs give equal runs. */
  readonly seed: string;
  /** Which attempt at the invocation this is, from 1. */
  readonly attempt: number;
  /** What the executor has to stop at by itself, where it can; it is enforced around it. */
  readonly limits: InvocationLimits;
  readonly signal: AbortSignal;
}

/** What a function does, in order; `succeeded` or `errored` is the last. */
export type ExecutionEvent =
  | { readonly type: "log"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | {
      readonly type: "progress";
      readonly done: number;
      readonly total: number;
      readonly label: string;
    }
  | { readonly type: "succeeded"; readonly result: unknown }
  | { readonly type: "errored"; readonly error: InvocationError };

/**
 * Runs sandbox functions. A function's failure is a value; throws only when the signal aborts.
 * What an executor gives is not trusted: `limitExecution` stands around every one of them.
 */
export interface SandboxExecutor {
  execute(execution: Execution): AsyncIterable<ExecutionEvent>;
  /** Ends what is kept between executions; the executor can be used again. */
  close(): Promise<void>;
}

/** The failure of a function that ran longer than it may. */
export function timedOut({ timeoutMs }: InvocationLimits): ExecutionEvent & { type: "errored" } {
  const message = `The function did not end within ${timeoutMs} ms`;
  return { type: "errored", error: { code: "timed_out", message } };
}
