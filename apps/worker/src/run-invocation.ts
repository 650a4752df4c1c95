import {
  type ClaimedRun,
  type Core,
  type FinishedInvocation,
  loadInvocation,
  lostLease,
} from "@parley/core";
import { type InvocationEvent, type InvocationOutcome, toStorable } from "@parley/schema";
import type { LogWriter } from "./log-writer.ts";
import type { SandboxExecutor } from "./sandbox-executor.ts";

export interface InvocationServices {
  readonly core: Core;
  readonly writer: LogWriter<InvocationEvent>;
  /** Ends an invocation; false when its log is closed or held by another attempt. */
  readonly finish: (finished: FinishedInvocation) => Promise<boolean>;
  readonly executor: SandboxExecutor;
}

/** Runs an invocation to its end. Throws `LostLease`, or what aborted it. */
export async function executeInvocation(
  services: InvocationServices,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<void> {
  const { core, writer, executor } = services;
  const loaded = await loadInvocation(core, run);
  const finish = async (outcome: InvocationOutcome): Promise<void> => {
    const events = await writer.take(run);
    if (!(await services.finish({ ...loaded, run, outcome, events }))) {
      throw lostLease(run);
    }
  };
  if (run.exhausted) {
    // Functions are not idempotent by default: what may have run is not run again.
    const message = "The worker stopped while the function ran";
    return finish({ status: "errored", error: { code: "interrupted", message } });
  }
  const { behaviour, sid: functionId } = loaded.sandboxFunction;
  const shared = { invocationId: run.logId, functionId };
  for await (const event of executor.execute({
    behaviour,
    input: loaded.invocation.input,
    signal,
  })) {
    const { type } = event;
    if (type === "succeeded") await finish({ status: type, result: event.result });
    else if (type === "errored") await finish({ status: type, error: event.error });
    else if (type === "log") {
      await writer.write(run, {
        type: "sandbox_function_invocation_log",
        created: core.now(),
        ...shared,
        stream: event.stream,
        text: toStorable(event.text),
      });
    } else {
      await writer.write(run, {
        type: "sandbox_function_invocation_progress",
        created: core.now(),
        ...shared,
        done: event.done,
        total: event.total,
        label: toStorable(event.label),
      });
    }
  }
}
