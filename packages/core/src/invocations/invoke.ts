import {
  type InvocationEvent,
  type InvocationOutcome,
  type InvokedSandboxFunction,
} from "@parley/schema";
import { ownedBy } from "../access/ownership.ts";
import type { Context } from "../context.ts";
import { checkInput } from "../functions/check-values.ts";
import type { FunctionLookUp } from "../functions/function-directory.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { hiddenTypes, type LogStream, type OptInTypes, streamSpace } from "../log/log-stream.ts";
import { listenForEnds, type PendingEnds } from "../log/listen-for-ends.ts";
import { writeRuns } from "../runs/local-workers.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import { requireProcessorTime } from "../usage/processor-limits.ts";
import { buildInvocation, type NewInvocation } from "./new-invocations.ts";
import {
  renderInvoked,
  renderOutcome,
  requireInvocation,
  unknownInvocation,
} from "./read-invocations.ts";
import {
  type InvocationServices,
  toHeldRuns,
  writeInvocations,
  type WrittenInvocation,
} from "./write-invocations.ts";

/** How long to wait for an invocation by default. */
const DEFAULT_WAIT_MS = 10_000;

interface InvokeInput {
  readonly functionId: string;
  readonly input: unknown;
  readonly context?: { timezone: string | undefined } | undefined;
}

/** The context of functions that invoke. */
type InvocationContext = StartContext & FunctionLookUp;
type StartContext = KeyedContext & InvocationServices & RunServices;

/**
 * Starts an invocation, and waits for its outcome as long as the caller prefers. Throws
 * `sandbox_function_not_found`, also if the function is archived, and `budget_exceeded` if no processor time is left.
 */
export async function invokeSandboxFunction(
  context: InvocationContext,
  input: InvokeInput,
): Promise<InvokedSandboxFunction> {
  const { caller } = context;
  const { workspace } = caller;
  const sandboxFunction = await context.functions.getActive(workspace.id, input.functionId);
  const { definition } = sandboxFunction;
  const created = buildInvocation(context, {
    sandboxFunction,
    workspaceId: workspace.id,
    ...ownedBy(caller),
    actionId: null,
    input: await checkInput(
      context,
      { definition, input: input.input },
      { workspaceId: workspace.id, origin: "request", signal: context.signal },
    ),
    timezone: input.context?.timezone ?? null,
  });
  return startInvocation(context, { created, functionId: sandboxFunction.sid });
}

/** Writes a new invocation, and waits for its outcome as long as the caller prefers. */
export async function startInvocation(
  context: StartContext,
  { created, functionId }: { created: NewInvocation; functionId: string },
): Promise<InvokedSandboxFunction> {
  const { caller, database, now } = context;
  const { workspace } = caller;
  if (created.row.status === "created") {
    const limits = await context.reserveRunCapacity(workspace.id, "invocation", 1);
    const asked = { caller, called: created.row, now: now() };
    if (limits.limitsProcessor) await requireProcessorTime(database.db, asked);
  }
  // Listening from before the write, it need not read the log.
  using pending = listenForOutcome(context, created.row, 1);
  const logIds = created.row.status === "created" ? [created.row.sid] : [];
  const runs = { kind: "invocation", workspaceId: workspace.id, logIds } as const;
  await writeRuns(context, runs, async (holder) => {
    const written = await writeOnce(context, { ...created, holder });
    return written && toHeldRuns(workspace.sid, created, written);
  });
  return renderInvoked(created.row, functionId, await readOutcome(created.row, pending));
}

/** Replays an invocation. Throws `sandbox_function_not_found`. */
export async function replayInvocation(
  context: Context,
  input: InvokeInput,
  invocationId: string,
): Promise<InvokedSandboxFunction> {
  const { functionId } = input;
  const named = { functionId, invocationId };
  const { row, sandboxFunction } = await requireInvocation(context, named);
  using pending = listenForOutcome(context, row);
  return renderInvoked(row, sandboxFunction.sid, await readOutcome(row, pending));
}

/** Listens for as long as the caller prefers; undefined if there is nothing to wait for. */
function listenForOutcome(
  context: Context,
  { sid, status }: NewInvocation["row"],
  newAfter?: number,
): PendingEnds | undefined {
  const { preferredWaitMs = DEFAULT_WAIT_MS, blockingTimeoutMs, signal } = context;
  const timeoutMs = Math.min(preferredWaitMs, blockingTimeoutMs);
  if (timeoutMs === 0 || status !== "created") return undefined;
  return listenForEnds(context, { logIds: [sid], timeoutMs, signal, newAfter });
}

async function readOutcome(
  row: NewInvocation["row"],
  pending: PendingEnds | undefined,
): Promise<InvocationOutcome | undefined> {
  if (pending === undefined) return renderOutcome(row);
  const end = (await pending.ends).get(row.sid);
  if (end === undefined) return undefined;
  // Written by this program: the log holds what `InvocationEvent` describes.
  const event = JSON.parse(end.payload) as InvocationEvent;
  if (event.type === "sandbox_function_invocation_error") {
    return { status: "errored", error: event.error };
  }
  if (event.type !== "sandbox_function_invocation_result") return undefined;
  return { status: "succeeded", result: event.result };
}

/**
 * With an Idempotency-Key, or as an audited mutation, writes in a transaction of its own; otherwise shares a
 * commit with others.
 */
async function writeOnce(
  context: KeyedContext & InvocationServices,
  created: NewInvocation,
): Promise<WrittenInvocation | undefined> {
  const { claim, mutation } = context;
  if (claim === undefined && mutation === undefined)
    return context.writeInvocation(created, context.isWanted);
  const writtenOf = await inTransactionOnce(context, { id: created.row.sid }, async (transaction) =>
    writeInvocations(transaction.db, [created], transaction.afterCommit),
  );
  return writtenOf(created);
}

/** Event types that existing clients do not know, by the `include` that asks for them. */
export const invocationOptIn: OptInTypes = {
  log: ["sandbox_function_invocation_log"],
  progress: ["sandbox_function_invocation_progress"],
};

/**
 * The stream of one invocation. Throws `sandbox_function_not_found`, or
 * `sandbox_function_invocation_not_found`, also for another function's invocation.
 */
export async function findInvocationStream(
  context: Context,
  input: { functionId: string; invocationId: string; include: readonly string[] },
): Promise<LogStream> {
  const { row, spaceId } = await requireInvocation(context, input);
  const hidden = hiddenTypes(invocationOptIn, input.include);
  const space = streamSpace(spaceId, unknownInvocation);
  return { logId: row.sid, hidden, enveloped: false, afterEnd: "no content", space };
}
