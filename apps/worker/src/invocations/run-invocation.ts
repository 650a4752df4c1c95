import {
  awaitPermission,
  checkOutcome,
  type ClaimedRun,
  claimInvocations,
  describeSpentProcessor,
  dropOrphan,
  type FinishedInvocation,
  finishInvocations,
  loadInvocation,
  lostLease,
  readLargeInvocation,
  type StoredToolResult,
  traceparentOf,
} from "@parley/core";
import type {
  InvocationErrorCode,
  InvocationEvent,
  InvocationOutcome,
  StoredProgram,
} from "@parley/schema";
import type { SandboxExecutor } from "../executor/executor.ts";
import { limitExecution } from "../executor/limit-execution.ts";
import { createRunServices, type RunKind, type RunServices } from "../runs/run-kind.ts";
import type { InvocationEnd, InvocationMetrics } from "./invocation-metrics.ts";

export interface InvocationServices extends RunServices<InvocationEvent, FinishedInvocation> {
  readonly executor: SandboxExecutor;
  readonly metrics: InvocationMetrics;
}

/**
 * Runs an invocation to its end, and gives `succeeded` or the code of its error; `suspended` if its call was refused
 * and waits for its user. Throws `LostLease`, or the reason of the signal.
 */
export async function executeInvocation(
  services: InvocationServices,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<"succeeded" | "suspended" | InvocationErrorCode> {
  const { core, writer, executor, metrics } = services;
  const retry = <T>(work: () => Promise<T>) => services.persistence.retry(run, signal, work);
  const loaded = await retry(() => loadInvocation(core, run));
  const { sid: functionId, definition } = loaded.sandboxFunction;
  let startedAt: number | undefined;
  let cpuMs = 0;
  const finish = async (given: InvocationOutcome) => {
    const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
    const outcome = await checkOutcome(core, { definition, outcome: given }, options);
    const unwritten = await writer.take(run);
    const finished = { ...loaded, run, outcome, cpuMs, ...unwritten };
    const durationMs = startedAt === undefined ? undefined : performance.now() - startedAt;
    if (!(await retry(() => services.finish(finished)))) throw lostLease(run);
    metrics.ended(definition.program, endOf(definition.program, outcome), durationMs);
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
  const { spentLimit } = loaded.invocation;
  if (spentLimit && definition.program.type === "javascript") {
    const message = describeSpentProcessor(spentLimit);
    return finish({ status: "errored", error: { code: "budget_exceeded", message } });
  }
  const { sid: seed, functionVersion: version, input, timezone } = loaded.invocation;
  const { program, timeoutMs, maxOutputBytes, maxLogLines } = definition;
  startedAt = performance.now();
  const events = limitExecution(executor, {
    workspaceId: run.workspaceId,
    functionId,
    version,
    program,
    input,
    timezone: timezone ?? "UTC",
    seed,
    attempt: run.attempt,
    traceparent: traceparentOf(run, "invocation"),
    limits: { timeoutMs, maxOutputBytes, maxLogLines },
    signal,
    onUsed: (usedMs) => void (cpuMs += usedMs),
  });
  for await (const event of events) {
    const { type } = event;
    if (type === "succeeded") return finish({ status: type, result: event.result });
    if (type === "errored") {
      // The call has ended, and its time with it.
      await event.asksUser;
      if (event.asksUser && (await retry(() => awaitPermission(core, run)))) return "suspended";
      return finish({ status: type, error: event.error });
    }
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

function endOf({ type }: StoredProgram, outcome: InvocationOutcome): InvocationEnd {
  if (outcome.status === "errored") return outcome.error.code;
  const isTool = type === "mcp" || type === "client";
  // The executor of tools gives no other result.
  return isTool && (outcome.result as StoredToolResult).isError ? "tool_error" : outcome.status;
}

interface InvocationRunsOptions extends Omit<InvocationServices, "writer" | "finish"> {
  /** Invocations of a workspace that run at once, on all workers. */
  readonly perWorkspace: number;
}

/** Functions may wait for ten minutes: two workspaces whose functions do must leave places for others. */
const KEEPS_PLACE_MS = 1000;

/** Runs of invocations of sandbox functions. */
export function createInvocationRuns({ perWorkspace, ...options }: InvocationRunsOptions): RunKind {
  const { core, persistence } = options;
  const services: InvocationServices = {
    ...options,
    ...createRunServices(options, finishInvocations),
  };
  return {
    perWorkspace,
    keepsPlaceMs: KEEPS_PLACE_MS,
    writer: services.writer,
    claim: async ({ held: _held, ...request }) => {
      return claimInvocations(core, { ...request, perWorkspace });
    },
    execute: async (claimed, signal) => {
      const run =
        claimed.subject === null
          ? await persistence.retry(claimed, signal, () =>
              readLargeInvocation(core, claimed, signal),
            )
          : claimed;
      if (run.subject !== null) return executeInvocation(services, run, signal);
      // Its function was deleted.
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
