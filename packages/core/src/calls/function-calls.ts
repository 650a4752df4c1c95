/** The rows of tool calls that invoke sandbox functions. */
import { actions, invocations, type Queryable, sandboxFunctions } from "@parley/db";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow, InvocationRow } from "../data-access/rows.ts";
import { type CancelledInvocation, cancelInvocations } from "../invocations/cancel-invocation.ts";
import type { Transaction } from "../log/transaction.ts";
import { MAX_OUTPUT_CHARACTERS, readToolResult } from "./tool-results.ts";

/** The states of a tool call. */
export const callStatus = {
  blocked: "blocked_validation_required",
  asking: "blocked_user_answer_required",
  connecting: "blocked_authentication_required",
  running: "running",
  succeeded: "succeeded",
  errored: "errored",
  denied: "denied",
} as const;

const waitingStatuses: readonly string[] = [
  callStatus.blocked,
  callStatus.asking,
  callStatus.connecting,
];

/** Whether a call in this state waits for its user: for an approval, an answer, or to be let in. */
export function waitsForUser(status: string): boolean {
  return waitingStatuses.includes(status);
}

/** The states of a call that has not ended. */
export const openStatuses: readonly string[] = [...waitingStatuses, callStatus.running];

/** How long a call waits for approval. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000;
/** How long an invocation may wait for a worker, and run, before its turn continues without it. */
export const CALL_MS = 30 * 60 * 1000;

/** A tool call with its result. */
export interface FinishedCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly output: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

/** A call of the sandbox function that has `name` as its slug. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly output?: undefined;
}

export type StepCall = FinishedCall | FunctionCall;

/** A tool call that has not ended, with its invocation if there is one. */
export interface OpenCall {
  readonly action: ActionRow;
  readonly invocation: InvocationRow | null;
  readonly functionSid: string | null;
}

/** The calls of agent messages that have not ended, in order. */
export async function readOpenCalls(
  db: Queryable,
  messageIds: readonly number[],
): Promise<OpenCall[]> {
  if (messageIds.length === 0) return [];
  return db
    .select({ action: actions, invocation: invocations, functionSid: sandboxFunctions.sid })
    .from(actions)
    .leftJoin(invocations, eq(invocations.actionId, actions.id))
    .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(
      and(inArray(actions.messageId, [...messageIds]), inArray(actions.status, [...openStatuses])),
    )
    .orderBy(asc(actions.messageId), asc(actions.step), asc(actions.position));
}

/** The running invocations of agent messages, as `cancelInvocations` takes them. */
export async function readRunningCalls(
  db: Queryable,
  messageIds: readonly number[],
): Promise<CancelledInvocation[]> {
  return runningOf(await readOpenCalls(db, messageIds));
}

/** Those calls whose invocation runs, as `cancelInvocations` takes them. */
export function runningOf(calls: readonly OpenCall[]): CancelledInvocation[] {
  return calls.flatMap(({ invocation, functionSid }) =>
    invocation?.status === "created" ? { sid: invocation.sid, functionSid: functionSid ?? "" } : [],
  );
}

/** A call that ended with a text of Parley's own. */
export function endedWith(
  action: ActionRow,
  end: { status: "errored" | "denied"; text: string; now: number },
): ActionRow {
  const { status, text, now } = end;
  const output = [{ type: "text", text }];
  return { ...action, status, output, executionDurationMs: null, updatedAt: now };
}

/**
 * A call whose invocation has ended. The model is given the JSON of its result or error, or the content
 * that a remote tool has answered.
 */
export function endedAs(action: ActionRow, invocation: InvocationRow): ActionRow {
  const { error, result, createdAt, finishedAt } = invocation;
  const updatedAt = finishedAt ?? createdAt;
  const ended = {
    ...action,
    executionDurationMs: Math.max(0, Math.round(updatedAt - createdAt)),
    updatedAt,
  };
  if (error === null && action.mcpServerId !== null) {
    const { isError, output, generatedFiles } = readToolResult(result ?? "null");
    const status = isError ? callStatus.errored : callStatus.succeeded;
    return { ...ended, status, output, generatedFiles };
  }
  const json = error === null ? (result ?? "null") : JSON.stringify(error);
  return {
    ...ended,
    status: error === null ? callStatus.succeeded : callStatus.errored,
    output: [{ type: "text", text: json.slice(0, MAX_OUTPUT_CHARACTERS).toWellFormed() }],
  };
}

/** Writes the ends of calls. */
export async function writeEnds(db: Queryable, ended: readonly ActionRow[]): Promise<void> {
  for (const row of ended) {
    const { status, params, output, generatedFiles, executionDurationMs, updatedAt } = row;
    const { decision, decided } = row;
    const result = { status, params, output, generatedFiles, executionDurationMs, updatedAt };
    const end = { ...result, decision, decided };
    await db.update(actions).set(end).where(eq(actions.id, row.id));
  }
}

/**
 * Ends the open calls of agent messages that are ended, and cancels their invocations, in the
 * transaction that has locked the messages' logs.
 */
export async function closeCalls(
  core: Pick<Process, "now">,
  transaction: Transaction,
  messageIds: readonly number[],
): Promise<void> {
  const { db } = transaction;
  const open = await readOpenCalls(db, messageIds);
  await cancelInvocations(core, transaction, runningOf(open));
  const end = { status: "errored", text: "The message was cancelled", now: core.now() } as const;
  await writeEnds(
    db,
    open.map(({ action }) => endedWith(action, end)),
  );
}
