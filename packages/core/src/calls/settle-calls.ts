import { actions } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow } from "../data-access/rows.ts";
import { cancelInvocations } from "../invocations/cancel-invocation.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { suspendTurn } from "../runs/suspend-turns.ts";
import { prepareUnallowedCalls, selectAllowedCalls, startAllowedCalls } from "./allowed-calls.ts";
import {
  APPROVAL_MS,
  callStatus,
  endCalls,
  endedAs,
  endedWith,
  openStatuses,
  renderEnd,
} from "./call-states.ts";
import type { CallingTurn } from "./calling-turn.ts";
import { endedAsTask, readTasks, type TaskEnd } from "./task-calls.ts";
import { announceDecided, readTaskRoot } from "./task-path.ts";
import { deadlineOf, type OpenCall, readOpenCalls, runningOf } from "./open-calls.ts";

/** Whether a claimed turn has calls that it must settle before it continues. */
export function hasOpenCalls(turn: Pick<CallingTurn, "actions">): boolean {
  return turn.actions.some(({ status }) => openStatuses.includes(status));
}

/** All calls of a turn, none of which is open, and where the run's log then ends. */
export interface SettledCalls {
  readonly actions: readonly ActionRow[];
  readonly lastSeq: number;
}

/**
 * Ends the calls of a claimed turn whose invocations have ended or whose deadlines have passed: what
 * nobody approved is denied, what still runs is cancelled. Starts those that their user has allowed since.
 * A task has no deadline: it ends with its own answer.
 * Gives all calls of the turn if none is open; otherwise suspends the turn again and gives null. With
 * `giveUp`, all deadlines have passed. Throws `LostLease`.
 */
export async function settleCalls(
  core: Process,
  { run, turn, giveUp = false }: { run: ClaimedRun; turn: CallingTurn; giveUp?: boolean },
): Promise<SettledCalls | null> {
  const waiting = await prepareUnallowedCalls(core, turn);
  return inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    const now = core.now();
    const allowed = await selectAllowedCalls(db, waiting);
    const isLate = (call: OpenCall) => giveUp || deadlineOf(call) <= now;
    const isGone = ({ action: { id } }: OpenCall) =>
      allowed.has(id) && allowed.get(id) === undefined;
    const isOver = (call: OpenCall) => isLate(call) || isGone(call);
    const late = runningOf((await readOpenCalls(db, [turn.message.id])).filter(isOver));
    const root = turn.actions.some(isWaiting)
      ? await readTaskRoot(db, turn.conversation, run.logId)
      : undefined;
    const told = root === undefined ? [] : [root.messageId];
    await lockLogs(db, [run.logId, ...told, ...late.map(({ sid }) => sid)]);
    const lastSeq = await readHeldLog(db, run);
    await cancelInvocations(core, transaction, late);
    const gone = await startAllowedCalls(core, transaction, { ...waiting, turn, allowed });
    // Under the locks no decision is made, and what was cancelled has ended.
    const calls = await readOpenCalls(db, [turn.message.id]);
    const tasks = await readTasks(db, calls);
    const ended = [
      ...gone,
      ...calls
        .filter(({ action }) => !gone.some(({ id }) => id === action.id))
        .flatMap((call) => endOf(call, { now, isLate: isLate(call), tasks }) ?? []),
    ];
    await endCalls(db, ended);
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId };
    const events = ended.map((row) => renderEnd(row, shared));
    const guard = { logId: run.logId, fence: run.attempt, lastSeq };
    const decided = [
      ...gone,
      // Those that waited until now: the others were told of when they were decided.
      ...ended.filter(({ id }) =>
        calls.some(({ action }) => isWaiting(action) && action.id === id),
      ),
      ...calls.flatMap(({ action }) => {
        const { id, status } = action;
        return allowed.has(id) && status === callStatus.running ? action : [];
      }),
    ];
    const appends = [{ logId: run.logId, events, guard }];
    const atRoot =
      root === undefined || decided.length === 0 ? [] : [announceDecided(root, decided, now)];
    await appendEvents(
      db,
      [...appends, ...atRoot.map((append) => ({ ...append, guard }))],
      afterCommit,
    );
    const open = calls.filter((call) => !ended.some(({ id }) => id === call.action.id));
    if (open.length > 0) {
      // One that waits only since the claim was not looked at, and its user may have come back in the meantime.
      const isNew = open.some(
        ({ action: { id, status } }) =>
          status === callStatus.needsPermission && !waiting.calls.has(id),
      );
      const deadlines = open.map((call) =>
        tasks.has(call.action.id) ? now + APPROVAL_MS : deadlineOf(call),
      );
      const until = isNew ? now : Math.min(...deadlines);
      await suspendTurn(db, { run, delayMs: until - now }, afterCommit);
      return null;
    }
    const settled = await db
      .select()
      .from(actions)
      .where(eq(actions.messageId, turn.message.id))
      .orderBy(asc(actions.step), asc(actions.position));
    return { actions: settled, lastSeq: lastSeq + events.length };
  });
}

/** How calls end whose users do not decide in time. */
const lateEnds: Readonly<Record<string, { status: "denied" | "errored"; text: string }>> = {
  [callStatus.needsApproval]: { status: "denied", text: "Nobody approved the call in time" },
  [callStatus.needsAnswer]: { status: "errored", text: "Nobody answered the question in time" },
  [callStatus.needsOutput]: {
    status: "errored",
    text: "The application did not send the output of its tool in time",
  },
  [callStatus.needsPermission]: {
    status: "denied",
    text: "The user did not authorize the call in time",
  },
};

/** Whether a call waits for somebody to decide. */
const isWaiting = ({ status }: Pick<ActionRow, "status">): boolean => status in lateEnds;

function endOf(
  { action, invocation }: OpenCall,
  { now, isLate, tasks }: { now: number; isLate: boolean; tasks: ReadonlyMap<number, TaskEnd> },
): ActionRow | undefined {
  const late = lateEnds[action.status];
  if (late !== undefined) return isLate ? endedWith(action, { ...late, now }) : undefined;
  const task = tasks.get(action.id);
  if (task !== undefined) return endedAsTask(action, task, now);
  if (invocation === null) {
    return endedWith(action, { status: "errored", text: "The call was lost", now });
  }
  return invocation.status === "created" ? undefined : endedAs(action, invocation);
}
