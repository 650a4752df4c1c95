import type { InvocationError, SimulatedBehaviour } from "@parley/schema";

export interface Execution {
  /** What the simulated executor plays. */
  readonly behaviour: SimulatedBehaviour;
  /** JSON of the input. */
  readonly input: string;
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

/** Runs sandbox functions. A function's failure is a value; throws only when the signal aborts. */
export interface SandboxExecutor {
  execute(execution: Execution): AsyncIterable<ExecutionEvent>;
}
