/**
 * Calls of servers that each user allows: they wait until the user has come back from the authorization server.
 * Who saves such a call and who stores what the user has allowed wait for each other.
 */
import { actions, messages, type Queryable } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Process } from "../context.ts";
import type { ActionRow } from "../data-access/rows.ts";
import { insertInvocation } from "../invocations/write-invocations.ts";
import type { Hint } from "../log/bus.ts";
import type { Transaction } from "../log/transaction.ts";
import { resumeRefused } from "../runs/refused-runs.ts";
import { resumeTurns } from "../runs/suspend-turns.ts";
import type { OfUser } from "../tools/authorization-rows.ts";
import { findAuthorization, lockAuthorization } from "../tools/personal-tokens.ts";
import { type Called, findCalled } from "./called.ts";
import { callStatus, endedWith, readOpenCalls, writeEnds } from "./function-calls.ts";
import { type AskedBy, type CallingTurn, readAskedBy } from "./calling-turn.ts";

/** What the model is told where nobody can allow a call. */
export const NO_USER = "The tool is called for one user at a time, and nobody is known to ask";

/** Whether a call may be made for its user, who else has to allow it; `user` where nobody is known. */
type Access = "allowed" | "not allowed" | "user";

/** The tool whose users allow its calls; undefined for others. */
function personalToolOf({ tool }: Called): number | undefined {
  if (tool === undefined || !tool.server.isPersonal) return undefined;
  return "toolId" in tool.server.approvals ? tool.server.approvals.toolId : undefined;
}

/** Locks what the user has allowed of the servers of these calls, and reads it. Comes before the locks of logs. */
export async function readAccess(
  db: Queryable,
  userId: number | null,
  calls: readonly Called[],
): Promise<(called: Called) => Access> {
  const toolIds = [...new Set(calls.flatMap((called) => personalToolOf(called) ?? []))];
  const allowed = new Set<number>();
  for (const toolId of userId === null ? [] : toolIds.toSorted((a, b) => a - b)) {
    const named: OfUser = { toolId, userId: userId ?? 0 };
    await lockAuthorization(db, named);
    if ((await findAuthorization(db, named)) !== undefined) allowed.add(toolId);
  }
  return (called) => {
    const toolId = personalToolOf(called);
    if (toolId === undefined || allowed.has(toolId)) return "allowed";
    return userId === null ? "user" : "not allowed";
  };
}

/** A call that waits until its user lets its server be called. */
export interface WaitingCall {
  readonly action: ActionRow;
  /** Undefined where the server or its tool is gone. */
  readonly called: Called | undefined;
}

/** The calls of a claimed turn that wait for their user's permission, with their inputs checked, and that user. */
export interface WaitingCalls extends Pick<AskedBy, "userId" | "timezone"> {
  readonly calls: readonly WaitingCall[];
}

/** Reads the calls of a claimed turn that wait for permission. Waits for threads: not for a transaction. */
export async function prepareWaitingCalls(
  core: Process,
  { actions: stored, message }: Pick<CallingTurn, "actions" | "message">,
): Promise<WaitingCalls> {
  const waiting = stored.filter(({ status }) => status === callStatus.connecting);
  if (waiting.length === 0) return { calls: [], userId: null, timezone: null };
  const { db } = core.database;
  const { threads, now } = core;
  const options = { workspaceId: message.workspaceId, origin: "run" } as const;
  const calls: WaitingCall[] = [];
  for (const action of waiting) {
    calls.push({ action, called: await findCalled({ db, threads, now }, action, options) });
  }
  return { calls, ...(await readAskedBy(db, message)) };
}

/** Those of the waiting calls that may be made by now, or never. Locks what their user has allowed. */
export async function selectAllowedCalls(
  db: Queryable,
  { calls, userId }: WaitingCalls,
): Promise<WaitingCall[]> {
  const access = await readAccess(
    db,
    userId,
    calls.flatMap(({ called }) => called ?? []),
  );
  return calls.filter(({ called }) => called === undefined || access(called) === "allowed");
}

/** Starts calls that waited, in the transaction that has locked their turn's log. Gives those that have ended. */
export async function startAllowedCalls(
  core: Process,
  transaction: Transaction,
  {
    turn,
    allowed,
    timezone,
  }: {
    readonly turn: Pick<CallingTurn, "message" | "conversation">;
    readonly allowed: readonly WaitingCall[];
    readonly timezone: string | null;
  },
): Promise<ActionRow[]> {
  if (allowed.length === 0) return [];
  const now = core.now();
  const ended: ActionRow[] = [];
  const open = await readOpenCalls(transaction.db, [turn.message.id]);
  for (const { action, called } of allowed) {
    const call = open.find((one) => one.action.id === action.id);
    // The others were decided meanwhile.
    if (call?.action.status !== callStatus.connecting) continue;
    if (called === undefined) {
      const text = `The function ${action.functionCallName} is no longer there`;
      ended.push(endedWith(action, { status: "errored", text, now }));
      continue;
    }
    await writeEnds(transaction.db, [{ ...action, status: callStatus.running, updatedAt: now }]);
    if (call.invocation !== null) {
      // Its server refused it: it has not run.
      await resumeRefused(transaction.db, call.invocation.sid, transaction.afterCommit);
      continue;
    }
    await insertInvocation(core, transaction, {
      sandboxFunction: called.sandboxFunction,
      input: called.input,
      workspaceId: turn.message.workspaceId,
      apiKeyId: null,
      ownerId: turn.conversation.ownerId,
      actionId: action.id,
      timezone,
    });
  }
  return ended;
}

/** Resumes the turns whose calls wait for what a user has allowed, in the transaction that stores it. */
export async function resumeWaitingTurns(
  db: Queryable,
  { userId, toolSid, workspaceId }: { userId: number; toolSid: string; workspaceId: number },
  hints: Hint[],
): Promise<void> {
  const asked = alias(messages, "asked");
  const rows = await db
    .selectDistinct({ logId: messages.sid })
    .from(actions)
    .innerJoin(messages, and(eq(messages.sid, actions.logId), eq(messages.id, actions.messageId)))
    .innerJoin(
      asked,
      and(eq(asked.sid, messages.parentMessageId), eq(asked.workspaceId, workspaceId)),
    )
    .where(
      and(
        eq(actions.workspaceId, workspaceId),
        eq(actions.mcpServerId, toolSid),
        // As the index has it.
        sql`starts_with(${actions.status}, 'blocked_')`,
        eq(actions.status, callStatus.connecting),
        eq(messages.status, "created"),
        eq(asked.userId, userId),
      ),
    );
  const logIds = rows.map(({ logId }) => logId);
  await resumeTurns(db, logIds, hints);
}
