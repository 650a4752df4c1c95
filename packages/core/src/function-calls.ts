/** How tool calls that are invocations of sandbox functions stand in the database. */
import { actions, invocations, type Queryable, sandboxFunctions } from "@parley/db";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { ActionRow, InvocationRow } from "./rows.ts";

/** The states of a tool call. */
export const callStatus = {
  blocked: "blocked_validation_required",
  running: "running",
  succeeded: "succeeded",
  errored: "errored",
  denied: "denied",
} as const;

/** How long an approval is waited for. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000;
/** How long an invocation may wait for a worker, and run, before its turn goes on without it. */
export const CALL_MS = 30 * 60 * 1000;

/** Characters of a result that a model is told; what is longer is cut. */
const MAX_CHARACTERS = 200_000;

/** A tool call that has not ended, and what is known of its invocation. */
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
      and(
        inArray(actions.messageId, [...messageIds]),
        inArray(actions.status, [callStatus.blocked, callStatus.running]),
      ),
    )
    .orderBy(asc(actions.messageId), asc(actions.step), asc(actions.position));
}

/** Those among them whose invocation runs, as `cancelInvocations` takes them. */
export function runningOf(calls: readonly OpenCall[]): { sid: string; functionSid: string }[] {
  return calls.flatMap(({ invocation, functionSid }) =>
    invocation?.status === "created" ? { sid: invocation.sid, functionSid: functionSid ?? "" } : [],
  );
}

/** What a call comes to, as columns of its row. */
export type CallEnd = Pick<
  ActionRow,
  "status" | "output" | "executionDurationMs" | "updatedAt" | "decision"
>;

/** A call that ended with a text of Parley's own. */
export function endedWith(
  action: ActionRow,
  end: { status: "errored" | "denied"; text: string; now: number },
): ActionRow {
  const { status, text, now } = end;
  const output = [{ type: "text", text }];
  return { ...action, status, output, executionDurationMs: null, updatedAt: now };
}

/** A call whose invocation has ended: the model is told the JSON of the result, or of the error. */
export function endedAs(action: ActionRow, invocation: InvocationRow): ActionRow {
  const { error, result, createdAt, finishedAt } = invocation;
  const json = error === null ? (result ?? "null") : JSON.stringify(error);
  const updatedAt = finishedAt ?? createdAt;
  return {
    ...action,
    status: error === null ? callStatus.succeeded : callStatus.errored,
    output: [{ type: "text", text: json.slice(0, MAX_CHARACTERS).toWellFormed() }],
    executionDurationMs: Math.max(0, Math.round(updatedAt - createdAt)),
    updatedAt,
  };
}

/** Writes what calls have come to. */
export async function writeEnds(db: Queryable, ended: readonly ActionRow[]): Promise<void> {
  for (const row of ended) {
    const { status, output, executionDurationMs, updatedAt, decision } = row;
    const end: CallEnd = { status, output, executionDurationMs, updatedAt, decision };
    await db.update(actions).set(end).where(eq(actions.id, row.id));
  }
}
