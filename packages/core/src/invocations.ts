import {
  type InvocationEvent,
  type InvocationOutcome,
  type InvokedSandboxFunction,
} from "@parley/schema";
import type { Context } from "./context.ts";
import type { StoredEvent } from "./events/bus.ts";
import type { LogStream } from "./events/stream.ts";
import { waitForEnds } from "./events/wait.ts";
import { inTransactionOnce } from "./idempotency.ts";
import {
  buildInvocation,
  hintsOf,
  type NewInvocation,
  writeInvocations,
} from "./insert-invocations.ts";
import { renderInvoked, renderOutcome } from "./render-invocation.ts";
import { requireInvocation } from "./stored-invocations.ts";

/** How long an invocation is waited for when the caller does not say. */
const DEFAULT_WAIT_MS = 10_000;

interface InvokeInput {
  readonly functionId: string;
  readonly input: unknown;
  readonly context?: { timezone: string | undefined } | undefined;
}

/**
 * Starts an invocation, and waits for its outcome as long as the caller prefers. Throws
 * `sandbox_function_not_found`, also where the function is archived.
 */
export async function invokeSandboxFunction(
  context: Context,
  input: InvokeInput,
): Promise<InvokedSandboxFunction> {
  const { workspace, apiKey } = context.caller;
  const sandboxFunction = await context.functions.getActive(workspace.id, input.functionId);
  const made = buildInvocation(context, {
    sandboxFunction,
    workspaceId: workspace.id,
    apiKeyId: apiKey.id,
    actionId: null,
    input: input.input,
    timezone: input.context?.timezone ?? null,
  });
  // What has ended already has no run.
  if (made.row.status === "created") await context.admitRuns(workspace.id, "invocation", 1);
  const outcome = await awaitNew(context, made.row, () => writeOnce(context, made));
  return renderInvoked(made.row, sandboxFunction.sid, outcome);
}

/** The answer to an invocation that was asked for again. Throws `sandbox_function_not_found`. */
export async function replayInvocation(
  context: Context,
  input: InvokeInput,
  made: string,
): Promise<InvokedSandboxFunction> {
  const { functionId } = input;
  const { row, sandboxFunction } = await requireInvocation(context, {
    functionId,
    invocationId: made,
  });
  const timeoutMs = waitOf(context);
  const { sid } = sandboxFunction;
  if (timeoutMs === 0 || row.status !== "created") {
    return renderInvoked(row, sid, renderOutcome(row));
  }
  const ends = await waitForEnds(context, {
    logIds: [row.sid],
    timeoutMs,
    signal: context.signal,
  });
  return renderInvoked(row, sid, readOutcome(ends.get(row.sid)));
}

/** Writes a new invocation with `write`, and waits from before that on for its end. */
async function awaitNew(
  context: Context,
  row: NewInvocation["row"],
  write: () => Promise<void>,
): Promise<InvocationOutcome | undefined> {
  const waitMs = waitOf(context);
  if (waitMs === 0 || row.status !== "created") {
    await write();
    return renderOutcome(row);
  }
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const logIds = [row.sid];
  const waiting = waitForEnds(context, { logIds, timeoutMs: waitMs, signal, newAfter: 1 });
  try {
    await write();
  } catch (error) {
    failed.abort();
    await waiting;
    throw error;
  }
  return readOutcome((await waiting).get(row.sid));
}

function waitOf({ preferredWaitMs, blockingTimeoutMs }: Context): number {
  return Math.min(preferredWaitMs ?? DEFAULT_WAIT_MS, blockingTimeoutMs);
}

function readOutcome(end: StoredEvent | undefined): InvocationOutcome | undefined {
  if (end === undefined) return undefined;
  // Written by this program: the log holds what `InvocationEvent` describes.
  const event = JSON.parse(end.payload) as InvocationEvent;
  if (event.type === "sandbox_function_invocation_error") {
    return { status: "errored", error: event.error };
  }
  if (event.type !== "sandbox_function_invocation_result") return undefined;
  return { status: "succeeded", result: event.result };
}

/** With an Idempotency-Key it has a transaction of its own, else it shares a commit with others. */
async function writeOnce(context: Context, made: NewInvocation): Promise<void> {
  if (context.claim === undefined) {
    await context.writeInvocation(made);
    context.bus.publish(hintsOf([made]));
    return;
  }
  await inTransactionOnce(context, made.row.sid, async ({ db, afterCommit }) => {
    await writeInvocations(db, [made]);
    afterCommit.push(...hintsOf([made]));
  });
}

/** Event types that existing clients do not know, sent only when asked for. */
const optIn: Readonly<Record<string, string>> = {
  log: "sandbox_function_invocation_log",
  progress: "sandbox_function_invocation_progress",
};

/**
 * The stream of one invocation. Throws `sandbox_function_not_found`, or
 * `sandbox_function_invocation_not_found`, also for another function's invocation.
 */
export async function findInvocationStream(
  context: Context,
  input: { functionId: string; invocationId: string; include: readonly string[] },
): Promise<LogStream> {
  const { row } = await requireInvocation(context, input);
  const wanted = new Set(input.include.map((name) => optIn[name]));
  const hidden = new Set(Object.values(optIn).filter((type) => !wanted.has(type)));
  return { logId: row.sid, hidden, enveloped: false, afterEnd: "no content" };
}
