import type { E2bProgram, ExecutionEvent } from "@parley/schema";
import type { SandboxExecutor } from "../../executor/executor.ts";
import { limitExecution } from "../../executor/limit-execution.ts";

/** Runs a program as the worker does, and closes the executor. */
export async function runE2b(
  executor: SandboxExecutor,
  program: E2bProgram,
  more: object = {},
): Promise<ExecutionEvent[]> {
  try {
    return await Array.fromAsync(
      limitExecution(executor, {
        workspaceId: 1,
        functionId: "sfn_a",
        version: 1,
        program,
        input: "null",
        timezone: "UTC",
        seed: "sfi_a",
        attempt: 1,
        limits: { timeoutMs: 10_000, maxOutputBytes: 10_000, maxLogLines: 100 },
        signal: new AbortController().signal,
        ...more,
      }),
    );
  } finally {
    await executor.close();
  }
}
