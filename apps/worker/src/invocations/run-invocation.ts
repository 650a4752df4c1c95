import {
  checkOutcome,
  type ClaimedRun,
  type FinishedInvocation,
  loadInvocation,
  lostLease,
} from "@parley/core";
import type { InvocationErrorCode, InvocationEvent, InvocationOutcome } from "@parley/schema";
import type { SandboxExecutor } from "../executor/executor.ts";
import { limitExecution } from "../executor/limit-execution.ts";
import type { RunServices } from "../runs/run-kind.ts";

export interface InvocationServices extends RunServices<InvocationEvent, FinishedInvocation> {
  readonly executor: SandboxExecutor;
}

/**
 * Runs an invocation to its end, and gives `succeeded` or the code of its error. Throws `LostLease`, or
 * the reason of the signal.
 */
export async function executeInvocation(
  services: InvocationServices,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<"succeeded" | InvocationErrorCode> {
  const { core, writer, executor } = services;
  const retry = <T>(work: () => Promise<T>) => services.persistence.retry(run, signal, work);
  const loaded = await retry(() => loadInvocation(core, run));
  const { sid: functionId, definition } = loaded.sandboxFunction;
  const finish = async (given: InvocationOutcome) => {
    const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
    const outcome = await checkOutcome(core, { definition, outcome: given }, options);
    const unwritten = await writer.take(run);
    const finished = { ...loaded, run, outcome, ...unwritten };
    if (!(await retry(() => services.finish(finished)))) throw lostLease(run);
    return outcome.status === "succeeded" ? outcome.status : outcome.error.code;
  };
  if (run.exhausted) {
    // Functions are not idempotent by default: a function that may have run is not run again.
    const message = "The worker stopped while the function ran";
    const error = definition.retryable
      ? { code: "invocation_failed" as const, message: `${message}, more than once` }
      : { code: "interrupted" as const, message };
    return finish({ status: "errored", error });
  }
  const { sid: seed, functionVersion: version, input, timezone } = loaded.invocation;
  const { program, timeoutMs, maxOutputBytes, maxLogLines } = definition;
  const events = limitExecution(executor, {
    workspaceId: run.workspaceId,
    functionId,
    version,
    program,
    input,
    timezone: timezone ?? "UTC",
    seed,
    attempt: run.attempt,
    limits: { timeoutMs, maxOutputBytes, maxLogLines },
    signal,
  });
  for await (const event of events) {
    const { type } = event;
    if (type === "succeeded") return finish({ status: type, result: event.result });
    if (type === "errored") return finish({ status: type, error: event.error });
    const shared = { created: core.now(), invocationId: run.logId, functionId };
    if (type === "log") {
      const line = { stream: event.stream, text: event.text };
      await writer.write(run, { type: "sandbox_function_invocation_log", ...shared, ...line });
    } else {
      const report = { done: event.done, total: event.total, label: event.label };
      await writer.write(run, {
        type: "sandbox_function_invocation_progress",
        ...shared,
        ...report,
      });
    }
  }
  throw new Error("The function has no outcome");
}
