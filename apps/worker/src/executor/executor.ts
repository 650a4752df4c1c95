import type { ExecutorEvent, InvocationLimits, StoredProgram } from "@parley/schema";

export interface Execution<P extends StoredProgram = StoredProgram> {
  /** Work is bounded per workspace. */
  readonly workspaceId: number;
  readonly functionId: string;
  /** A version never changes: what is prepared for it can be cached. */
  readonly version: number;
  readonly program: P;
  /** JSON of the input. */
  readonly input: string;
  /** Bytes of the input at most, if it is not that of an invocation. */
  readonly maxInputBytes?: number;
  /** IANA name of the caller's time zone. */
  readonly timezone: string;
  /** Seed of random choices: equal seeds and inputs give equal runs. */
  readonly seed: string;
  /** Attempt at the invocation, from 1. */
  readonly attempt: number;
  /** The W3C `traceparent` of what the invocation asks of others. */
  readonly traceparent?: string | undefined;
  /** Limits that the executor should stop at; `limitExecution` enforces them. */
  readonly limits: InvocationLimits;
  readonly signal: AbortSignal;
  /** Called with the processor time that it has used, in milliseconds, if the executor measures it. */
  readonly onUsed?: ((cpuMs: number) => void) | undefined;
}

/**
 * Runs sandbox functions. A function's failure is a value; throws only when the signal aborts.
 * Its events are untrusted: every executor is called through `limitExecution`.
 */
export interface SandboxExecutor<P extends StoredProgram = StoredProgram> {
  execute(execution: Execution<P>): AsyncIterable<ExecutorEvent>;
  /** Releases what is cached between executions; the executor can be used again. */
  close(): Promise<void>;
}
