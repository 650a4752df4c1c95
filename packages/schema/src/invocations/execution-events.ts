import type { InvocationLimits } from "./invocation-limits.ts";
import type { InvocationError } from "./invocations.ts";

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

/** The failure of a function that exceeded its timeout. */
export function timedOut({
  timeoutMs,
}: Pick<InvocationLimits, "timeoutMs">): ExecutionEvent & { type: "errored" } {
  const message = `The function did not end within ${timeoutMs} ms`;
  return { type: "errored", error: { code: "timed_out", message } };
}
