import { actions, type Queryable } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction } from "../log/transaction.ts";
import { renderCitations } from "../messages/citations.ts";
import { renderAction } from "../messages/render-messages.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { lostLease, readHeldLog } from "../runs/leases.ts";
import { suspendTurn } from "../runs/suspend-turns.ts";
import {
  APPROVAL_MS,
  CALL_MS,
  callStatus,
  openStatuses,
  renderEnd,
  startCalls,
  waitsForUser,
} from "../calls/call-states.ts";
import { applicationTools, renderOutputCalls, waitsForOutput } from "../calls/application-tools.ts";
import { buildCalls } from "../calls/new-calls.ts";
import { prepareCalls, type StepCall } from "../calls/prepared-calls.ts";
import type { StepTasks } from "../calls/task-calls.ts";
import { readTaskRoot } from "../calls/task-path.ts";
import { announceAtRoot, renderWaitingCalls, type WaitingCall } from "../calls/waiting-calls.ts";
import { takeCalls } from "../usage/call-limits.ts";
import { answerMemoryCalls, isMemoryCall } from "./memory-calls.ts";
import type { Turn } from "./load-turns.ts";
import { type WrittenSteps, writeSteps } from "./write-steps.ts";

export interface FinishedStep extends Omit<WrittenSteps, "logId"> {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly step: number;
  /** In the order in which the model made them. */
  readonly calls: readonly StepCall[];
  /** Events that were not yet written. */
  readonly events: readonly MessageEvent[];
  /** Number of the event before them, so that none can follow a gap; the log's last by default. */
  readonly lastSeq?: number;
  /** The calls that ask other agents, if any does. */
  readonly tasks?: StepTasks | undefined;
}

/** The tool calls of a step that was saved, and where the run's log then ends. */
export interface SavedStep {
  readonly rows: readonly ActionRow[];
  readonly lastSeq: number;
  /** Whether a budget applies to the next step. */
  readonly isBudgeted: boolean;
  /** Whether calls of it are open, for which the turn waits. */
  readonly isSuspended: boolean;
}

/**
 * Writes a finished step with its tool calls and their events, so that a takeover continues after it. If
 * it calls functions or other agents, they are started or wait for approval, and the turn is suspended, which ends
 * the attempt. A step that the attempt has already saved without being notified stays as it is. Throws
 * `LostLease`, and `CallLimitReached` if it has more calls than a limit leaves: then nothing of it is written.
 */
export async function saveStep(core: Process, finished: FinishedStep): Promise<SavedStep> {
  const { run, turn, step } = finished;
  const calls = finished.calls.map((call) =>
    isMemoryCall(turn, call) ? { ...call, actionId: core.newId("act") } : call,
  );
  const ofApplication = new Set(applicationTools(turn).map(({ name }) => name));
  const ofAgent = calls.filter(
    (call) => !ofApplication.has(call.name) && !isMemoryCall(turn, call),
  );
  const prepared = await prepareCalls(core, turn, ofAgent);
  return inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    const now = core.now();
    const remembering = calls.filter((call) => isMemoryCall(turn, call));
    if (remembering.length > 0) {
      // Whoever saves the step again waits here, and then finds it: memories are changed once.
      const root = await readTaskRoot(db, turn.conversation, run.logId);
      if (root !== undefined) await lockLogs(db, [run.logId, root.messageId]);
      await readHeldLog(db, run, { isLocked: true });
      const saved = await readSavedStep(db, finished);
      if (saved.rows.length > 0) return saved;
    }
    const answers = await answerMemoryCalls(core, db, { turn, calls: remembering });
    const settled = calls.map((call) => answers.get(call) ?? call);
    const tasks = await finished.tasks?.judge(db);
    const given = { turn, step, calls: settled, prepared, ofApplication, tasks, now };
    const { created, askedBy } = await buildCalls(core, db, given);
    const { timezone, userSid } = askedBy;
    const rows = await db
      .insert(actions)
      .values(created.map(({ row }) => row))
      .onConflictDoNothing()
      .returning();
    if (rows.length < created.length) return readSavedStep(db, finished);
    await takeCalls(db, { ...finished, now });
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId, step };
    const toWaiting = (action: ActionRow): WaitingCall => ({
      action,
      serverName: created[action.position]?.prepared?.tool?.server.name ?? null,
      agent: turn.agent,
      conversationId: turn.conversation.sid,
      messageId: run.logId,
      userId: userSid,
    });
    const asking = rows.filter(({ status }) => waitsForUser(status));
    const root =
      asking.length === 0 ? undefined : await readTaskRoot(db, turn.conversation, run.logId);
    const ofUser = asking.map((action) => ({ ...toWaiting(action), path: root?.path }));
    const ofOutputs = rows.filter(({ status }) => waitsForOutput(status)).map(toWaiting);
    const waiting = renderWaitingCalls(ofUser);
    const announced = [...waiting, ...renderOutputCalls(ofOutputs)];
    const events = rows.flatMap((row): MessageEvent[] => {
      const action = renderAction(row);
      const params = { type: "tool_params", ...shared } as const;
      const waits = announced.find(({ actionId }) => actionId === row.sid);
      if (row.output === null) {
        return [{ ...params, action }, ...(waits === undefined ? [] : [{ ...waits, step }])];
      }
      return [
        { ...params, action: { ...action, status: callStatus.running, output: null } },
        renderEnd(row, shared),
        ...announceCitations(row, shared),
      ];
    });
    const ofTeam = rows.flatMap((action) => {
      const call = calls[action.position];
      const isStarted = action.status !== callStatus.errored;
      return call && isStarted && tasks?.has(call) ? [{ call, action }] : [];
    });
    const others = await finished.tasks?.start(transaction, ofTeam, askedBy);
    const guard = { logId: run.logId, fence: run.attempt, lastSeq: finished.lastSeq };
    const { ofMessage = [], ofConversation = [] } = others ?? {};
    const ownEvents = [...finished.events, ...events, ...ofMessage];
    const appends = [
      { logId: run.logId, events: ownEvents, guard },
      { logId: turn.conversation.sid, events: [...announced, ...ofConversation], guard },
      ...announceAtRoot(root, waiting).map((append) => ({ ...append, guard })),
    ];
    const written = await appendEvents(db, appends, afterCommit);
    const lastSeq = written.get(run.logId);
    if (lastSeq === undefined) throw lostLease(run);
    const isBudgeted = await writeSteps(db, { ...finished, logId: run.logId });
    const isSuspended = settled.some(({ output }) => output === undefined);
    const saved = { rows, lastSeq, isBudgeted, isSuspended };
    if (!isSuspended) return saved;

    const started = rows.flatMap((action) => {
      const call = created[action.position]?.prepared;
      return call && action.status === callStatus.running ? { action, prepared: call } : [];
    });
    await startCalls(core, transaction, { turn, timezone, calls: started });
    const delayMs = started.length > 0 ? CALL_MS : APPROVAL_MS;
    await suspendTurn(db, { run, delayMs }, afterCommit);
    return saved;
  });
}

/** What a call has found, as an event of the answer; none if that is nothing. */
function announceCitations(
  row: ActionRow,
  shared: { created: number; configurationId: string; messageId: string; step: number },
): MessageEvent[] {
  const citations = renderCitations(row);
  if (citations.length === 0) return [];
  return [{ type: "agent_message_citations", ...shared, callId: row.sid, citations }];
}

/**
 * The step as the same attempt has saved it: an attempt that was taken over could meet another's rows,
 * but its fence is older.
 */
async function readSavedStep(db: Queryable, { run, turn, step }: FinishedStep): Promise<SavedStep> {
  const lastSeq = await readHeldLog(db, run);
  const rows = await db
    .select()
    .from(actions)
    .where(and(eq(actions.messageId, turn.message.id), eq(actions.step, step)))
    .orderBy(asc(actions.position));
  const isSuspended = rows.some(({ status }) => openStatuses.includes(status));
  return { rows, lastSeq, isBudgeted: turn.billing.isBudgeted, isSuspended };
}
