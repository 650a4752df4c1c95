/**
 * The states of a tool call; README.md has them as a diagram. `buildCalls` gives a call its first one. After that
 * `startCalls`, `waitForPermission` and `endCalls` alone move it, under the lock of its message's log.
 */
import { type Queryable, statement } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { toColumns } from "../data-access/row-json.ts";
import type { ActionRow, InvocationRow } from "../data-access/rows.ts";
import { insertInvocations } from "../invocations/write-invocations.ts";
import type { Hint } from "../log/bus.ts";
import type { Transaction } from "../log/transaction.ts";
import { filteredConversation, hasDeliveries, toldOf } from "../log/webhook-outbox.ts";
import { NEEDS_OUTPUT } from "../data-access/person-calls.ts";
import { renderAction } from "../messages/render-messages.ts";
import { resumeRefused } from "../runs/refused-runs.ts";
import { spanId } from "../runs/span-ids.ts";
import type { CallingTurn } from "./calling-turn.ts";
import type { PreparedCall } from "./prepared-calls.ts";
import { MAX_OUTPUT_CHARACTERS, readToolResult } from "./tool-results.ts";

/** The states of a tool call. */
export const callStatus = {
  needsApproval: "blocked_validation_required",
  needsAnswer: "blocked_user_answer_required",
  needsPermission: "blocked_authentication_required",
  needsOutput: NEEDS_OUTPUT,
  running: "running",
  succeeded: "succeeded",
  errored: "errored",
  denied: "denied",
} as const;

const { needsApproval, needsAnswer, needsPermission, needsOutput, running } = callStatus;
const waitingStatuses: readonly string[] = [needsApproval, needsAnswer, needsPermission];

/** Whether a call in this state waits for its user: for an approval, an answer, or to be let in. */
export function waitsForUser(status: string): boolean {
  return waitingStatuses.includes(status);
}

/** The states of a call that has not ended. */
export const openStatuses: readonly string[] = [...waitingStatuses, needsOutput, running];

/** How long a call waits for its user, or for the application whose tool it calls. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000;
/** How long an invocation may wait for a worker, and run, before its turn continues without it. */
export const CALL_MS = 30 * 60 * 1000;

/** A call that may be made now. */
interface StartedCall {
  readonly action: ActionRow;
  readonly prepared: PreparedCall;
  /** One that its server has refused: it has not run, and runs again. */
  readonly invocation?: InvocationRow | null;
}

/** Starts calls: those that waited run from now on, and the invocations of all are written together. */
export async function startCalls(
  core: Process,
  transaction: Transaction,
  {
    turn: { message, conversation },
    timezone,
    calls,
  }: {
    readonly turn: Pick<CallingTurn, "message" | "conversation">;
    readonly timezone: string | null;
    readonly calls: readonly StartedCall[];
  },
): Promise<void> {
  const { db, afterCommit } = transaction;
  for (const { action, invocation } of calls) {
    const started = { ...action, status: running, updatedAt: core.now() };
    if (action.status !== running) await write(db, started, afterCommit);
    if (invocation) await resumeRefused(db, invocation.sid, afterCommit);
  }
  const requests = calls
    .filter(({ invocation }) => !invocation)
    .map(({ action, prepared: { sandboxFunction, input } }) => ({
      sandboxFunction,
      input,
      workspaceId: message.workspaceId,
      apiKeyId: null,
      ownerId: conversation.ownerId,
      actionId: action.id,
      timezone,
      within: { logId: message.sid, spanId: spanId(message.sid, "call", { key: action.sid }) },
    }));
  await insertInvocations(core, transaction, requests);
}

/** Makes a call wait until its user lets its server be called, and gives it so. */
export async function waitForPermission(
  { now }: Pick<Process, "now">,
  db: Queryable,
  action: ActionRow,
): Promise<ActionRow> {
  const waiting = { ...action, status: needsPermission, updatedAt: now() };
  await write(db, waiting, []);
  return waiting;
}

/** Ends calls: the rows are those of `endedWith` and `endedAs`, or have an answer. */
export async function endCalls(
  db: Queryable,
  ended: readonly ActionRow[],
  hints: Hint[] = [],
): Promise<void> {
  for (const row of ended) await write(db, row, hints);
}

// Webhooks are told of a decision by the statement that writes it.
const writeStatement = statement<{ row: string }, { hasDeliveries: boolean }>(
  "write_call",
  sql`
  with given as (select * from json_populate_record(null::actions, ${sql.placeholder("row")}::json)),
  undecided as (select a.id from actions a join given on given.id = a.id where a.decision is null),
  written as (
    update actions a set status = given.status, params = given.params, output = given.output,
      generated_files = given.generated_files, execution_duration_ms = given.execution_duration_ms,
      updated_at = given.updated_at, decision = given.decision, decided = given.decided
    from given where a.id = given.id
    returning a.id, a.sid, a.message_id, a.decision
  ),
  ${toldOf(sql`
    select 'approval.decided' as event, w.sid as log_id, 0 as seq, c.workspace_id, c.id as conversation_id,
      ${filteredConversation} as conversation_sid, c.space_id, a.sid as agent_sid,
      jsonb_build_object('conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid, 'actionId', w.sid,
        'decision', w.decision) as subject
    from written w
    join undecided on undecided.id = w.id and w.decision is not null
    join messages m on m.id = w.message_id
    join conversations c on c.id = m.conversation_id
    left join agents a on a.id = m.agent_id
    where c.visibility <> 'temporary'`)}
  select ${hasDeliveries} as "hasDeliveries"`,
);

async function write(db: Queryable, row: ActionRow, hints: Hint[]): Promise<void> {
  const [written] = await writeStatement.execute(db, { row: JSON.stringify(toColumns(row)) });
  if (written?.hasDeliveries) hints.push({ topic: "runs", cause: "added", kind: "delivery" });
}

/** The event that a call has ended. */
export function renderEnd(
  action: ActionRow,
  shared: { created: number; configurationId: string; messageId: string },
): MessageEvent {
  const { step } = action;
  return { type: "agent_action_success", ...shared, step, action: renderAction(action) };
}

/** A text of Parley's own as the output of a call. */
export const outputOf = (text: string): unknown[] => [{ type: "text", text }];

/** A call that ended with a text of Parley's own. */
export function endedWith(
  action: ActionRow,
  end: { status: "errored" | "denied"; text: string; now: number },
): ActionRow {
  const { status, text, now } = end;
  return { ...action, status, output: outputOf(text), executionDurationMs: null, updatedAt: now };
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
    output: outputOf(json.slice(0, MAX_OUTPUT_CHARACTERS).toWellFormed()),
  };
}
