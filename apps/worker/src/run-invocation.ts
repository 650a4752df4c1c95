import {
  type ClaimedRun,
  type Core,
  type FinishedInvocation,
  loadInvocation,
  lostLease,
} from "@parley/core";
import type { InvocationErrorCode, InvocationEvent, InvocationOutcome } from "@parley/schema";
import { limitExecution } from "./limit-execution.ts";
import type { LogWriter } from "./log-writer.ts";
import type { SandboxExecutor } from "./sandbox-executor.ts";

export interface InvocationServices {
  readonly core: Core;
  readonly writer: LogWriter<InvocationEvent>;
  /** Ends an invocation; false when its log is closed or held by another attempt. */
  readonly finish: (finished: FinishedInvocation) => Promise<boolean>;
  readonly executor: SandboxExecutor;
}

/** Runs an invocation to its end, and gives `succeeded` or the code of its error. Throws `LostLease`, or what aborted it. */
export async function executeInvocation(
  services: InvocationServices,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<"succeeded" | InvocationErrorCode> {
  const { core, writer, executor } = services;
  const loaded = await loadInvocation(core, run);
  const finish = async (outcome: InvocationOutcome) => {
    const events = await writer.take(run);
    if (!(await services.finish({ ...loaded, run, outcome, events }))) {
      throw lostLease(run);
    }
    return outcome.status === "succeeded" ? outcome.status : outcome.error.code;
  };
  if (run.exhausted) {
    // Functions are not idempotent by default: what may have run is not run again.
    const message = "The worker stopped while the function ran";
    return finish({ status: "errored", error: { code: "interrupted", message } });
  }
  const { sid: functionId, definition } = loaded.sandboxFunction;
  const shared = { invocationId: run.logId, functionId };
  const { sid: seed, functionVersion: version, input, timezone } = loaded.invocation;
  const { behaviour, timeoutMs, maxOutputBytes, maxLogLines } = definition;
  const events = limitExecution(executor, {
    functionId,
    version,
    program: { type: "simulated", behaviour },
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
    if (type === "log") {
      await writer.write(run, {
        type: "sandbox_function_invocation_log",
        created: core.now(),
        ...shared,
        stream: event.stream,
        text: event.text,
      });
    } else {
      await writer.write(run, {
        type: "sandbox_function_invocation_progress",
        created: core.now(),
        ...shared,
        done: event.done,
        total: event.total,
        label: event.label,
      });
    }
  }
  throw new Error("The function has no outcome");
}
