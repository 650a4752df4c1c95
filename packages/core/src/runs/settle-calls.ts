import { logs, type Queryable } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { and, eq, isNull } from "drizzle-orm";
import { cancelInvocations } from "../cancel-invocation.ts";
import { type Core, inTransaction } from "../context.ts";
import { appendEvents } from "../events/append.ts";
import { lockLogs } from "../events/seize.ts";
import {
  APPROVAL_MS,
  CALL_MS,
  callStatus,
  endedAs,
  endedWith,
  type OpenCall,
  readOpenCalls,
  runningOf,
  writeEnds,
} from "../function-calls.ts";
import { renderAction } from "../messages.ts";
import type { ActionRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import type { Turn } from "./load-turns.ts";
import { lostLease } from "./lost-lease.ts";
import { parkTurn } from "./parked-turns.ts";

/** Whether a claimed turn has calls that it must settle before it goes on. */
export function hasOpenCalls({ actions }: Pick<Turn, "actions">): boolean {
  return actions.some(isOpen);
}

function isOpen({ status }: ActionRow): boolean {
  return status === callStatus.blocked || status === callStatus.running;
}

/** When the turn goes on without the call, in milliseconds since the epoch. */
export function deadlineOf({ action, invocation }: Omit<OpenCall, "functionSid">): number {
  return invocation === null ? action.createdAt + APPROVAL_MS : invocation.createdAt + CALL_MS;
}

/**
 * Ends the calls of a claimed turn whose invocations have ended, and those that were waited for long
 * enough: what nobody approved is denied, what still runs is cancelled. Gives all calls of the turn
 * when none is open any more; otherwise parks the turn again, and gives null. With `giveUp`, no call
 * is waited for. Throws `LostLease`.
 */
export async function settleCalls(
  core: Core,
  { run, turn, giveUp = false }: { run: ClaimedRun; turn: Turn; giveUp?: boolean },
): Promise<ActionRow[] | null> {
  return inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    const now = core.now();
    const isLate = (call: OpenCall) => giveUp || deadlineOf(call) <= now;
    const late = runningOf((await readOpenCalls(db, [turn.message.id])).filter(isLate));
    await lockLogs(db, [run.logId, ...late.map(({ sid }) => sid)]);
    await requireLease(db, run);
    await cancelInvocations(core, transaction, late);
    // Under the lock nobody decides about a call, and what was cancelled has ended.
    const calls = await readOpenCalls(db, [turn.message.id]);
    const ended = calls.flatMap((call) => endOf(call, { now, isLate: isLate(call) }) ?? []);
    await writeEnds(db, ended);
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId };
    const events = ended.map((row): MessageEvent => {
      return { type: "agent_action_success", ...shared, step: row.step, action: renderAction(row) };
    });
    const guard = { logId: run.logId, fence: run.attempt };
    await appendEvents(db, [{ logId: run.logId, events, guard }], afterCommit);
    const open = calls.filter((call) => !ended.some(({ id }) => id === call.action.id));
    if (open.length > 0) {
      const deadline = Math.min(...open.map(deadlineOf));
      await parkTurn(db, { run, delayMs: deadline - now }, afterCommit);
      return null;
    }
    const byId = new Map(ended.map((row) => [row.id, row]));
    return turn.actions.map((row) => byId.get(row.id) ?? row);
  });
}

async function requireLease(db: Queryable, run: ClaimedRun): Promise<void> {
  const [held] = await db
    .select({ id: logs.id })
    .from(logs)
    .where(and(eq(logs.id, run.logId), eq(logs.fence, run.attempt), isNull(logs.closedAt)));
  if (held === undefined) throw lostLease(run);
}

function endOf(
  { action, invocation }: OpenCall,
  { now, isLate }: { now: number; isLate: boolean },
): ActionRow | undefined {
  if (action.status === callStatus.blocked) {
    const text = "Nobody approved the call in time";
    return isLate ? endedWith(action, { status: "denied", text, now }) : undefined;
  }
  if (invocation === null) {
    return endedWith(action, { status: "errored", text: "The call was lost", now });
  }
  return invocation.status === "created" ? undefined : endedAs(action, invocation);
}
