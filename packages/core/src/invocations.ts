import { invocations, logs, type Queryable, runs } from "@parley/db";
import {
  type Invocation,
  type InvocationOutcome,
  type InvokedSandboxFunction,
  ParleyError,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { Context } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import type { LogStream } from "./events/stream.ts";
import { waitForEnds } from "./events/wait.ts";
import { inTransactionOnce } from "./idempotency.ts";
import type { InvocationRow, SandboxFunctionRow } from "./rows.ts";
import { getSandboxFunction } from "./sandbox-functions.ts";

/** How long an invocation is waited for when the caller does not say. */
const DEFAULT_WAIT_MS = 10_000;

interface InvokeInput {
  readonly functionId: string;
  readonly input: unknown;
  readonly context?: { timezone: string | undefined } | undefined;
}

/** Starts an invocation, and waits for its outcome as long as the caller prefers. */
export async function invokeSandboxFunction(
  context: Context,
  input: InvokeInput,
): Promise<InvokedSandboxFunction> {
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, input.functionId);
  const row = await insertInvocation(context, sandboxFunction, input);
  return awaitOutcome(context, row, sandboxFunction);
}

/** The answer to an invocation that was asked for again. Throws `sandbox_function_not_found`. */
export async function replayInvocation(
  context: Context,
  input: InvokeInput,
  made: string,
): Promise<InvokedSandboxFunction> {
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, input.functionId);
  const row = await findInvocation(db, sandboxFunction, made);
  return awaitOutcome(context, row, sandboxFunction);
}

async function awaitOutcome(
  context: Context,
  row: InvocationRow,
  sandboxFunction: SandboxFunctionRow,
): Promise<InvokedSandboxFunction> {
  const waitMs = Math.min(context.preferredWaitMs ?? DEFAULT_WAIT_MS, context.blockingTimeoutMs);
  let current = row;
  if (waitMs > 0 && row.status === "created") {
    await waitForEnds(context, { logIds: [row.sid], timeoutMs: waitMs, signal: context.signal });
    [current = row] = await context.database.db
      .select()
      .from(invocations)
      .where(eq(invocations.id, row.id));
  }
  const outcome = renderOutcome(current);
  return {
    invocation: renderInvocation(current, sandboxFunction.sid),
    ...(outcome !== undefined && { outcome }),
  };
}

async function insertInvocation(
  context: Context,
  sandboxFunction: SandboxFunctionRow,
  input: InvokeInput,
): Promise<InvocationRow> {
  const { workspace, apiKey } = context.caller;
  const sid = context.newId("sfi");
  const createdAt = context.now();
  return inTransactionOnce(context, sid, async ({ db, afterCommit }) => {
    const [row] = await db
      .insert(invocations)
      .values({
        sid,
        workspaceId: workspace.id,
        functionId: sandboxFunction.id,
        apiKeyId: apiKey.id,
        status: "created",
        input: JSON.stringify(input.input),
        timezone: input.context?.timezone ?? null,
        createdAt,
      })
      .returning();
    if (row === undefined) throw new Error("The invocation was not written");
    await db.insert(logs).values({ id: sid, lastSeq: 0, fence: 0 });
    await db.insert(runs).values({
      kind: "invocation",
      workspaceId: workspace.id,
      logId: sid,
      subjectId: row.id,
      status: "waiting",
      priority: 0,
      attempt: 0,
      maxAttempts: sandboxFunction.retryable ? 5 : 1,
      runAfter: new Date(0),
      createdAt,
    });
    const created = {
      type: "sandbox_function_invocation_created" as const,
      created: createdAt,
      invocation: renderInvocation(row, sandboxFunction.sid),
    };
    await appendEvents(db, [{ logId: sid, events: [created] }], afterCommit);
    afterCommit.push({ topic: "runs", cause: "added" });
    return row;
  });
}

function renderInvocation(row: InvocationRow, functionId: string): Invocation {
  const createdAt = new Date(row.createdAt).toISOString();
  return { sId: row.sid, functionId, status: row.status, createdAt };
}

function renderOutcome(row: InvocationRow): InvocationOutcome | undefined {
  if (row.status === "created") return undefined;
  if (row.error !== null) return { status: "errored", error: row.error };
  const result: unknown = JSON.parse(row.result ?? "null");
  return { status: "succeeded", result };
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
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, input.functionId);
  const row = await findInvocation(db, sandboxFunction, input.invocationId);
  const wanted = new Set(input.include.map((name) => optIn[name]));
  const hidden = new Set(Object.values(optIn).filter((type) => !wanted.has(type)));
  return { logId: row.sid, hidden, enveloped: false, afterEnd: "no content" };
}

async function findInvocation(
  db: Queryable,
  { id, workspaceId }: SandboxFunctionRow,
  sid: string,
): Promise<InvocationRow> {
  const ofFunction = and(eq(invocations.workspaceId, workspaceId), eq(invocations.functionId, id));
  const [row] = await db
    .select()
    .from(invocations)
    .where(and(ofFunction, eq(invocations.sid, sid)));
  if (row === undefined) {
    throw new ParleyError(
      "sandbox_function_invocation_not_found",
      "The function has no such invocation",
    );
  }
  return row;
}
