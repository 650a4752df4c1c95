/**
 * Calls of servers that each user allows: they wait until the user has come back from the authorization server.
 * Who saves such a call and who stores what the user has allowed wait for each other.
 */
import { actions, messages, type Queryable } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Process } from "../context.ts";
import type { ActionRow } from "../data-access/rows.ts";
import type { Hint } from "../log/bus.ts";
import type { Transaction } from "../log/transaction.ts";
import { resumeTurns } from "../runs/suspend-turns.ts";
import type { OfUser } from "../tools/authorization-rows.ts";
import type { CalledServer } from "../tools/called-servers.ts";
import { findAuthorization, lockAuthorization } from "../tools/personal-tokens.ts";
import { callStatus, endedWith, startCalls } from "./call-states.ts";
import { type AskedBy, askedByNobody, type CallingTurn, readAskedBy } from "./calling-turn.ts";
import { readOpenCalls } from "./open-calls.ts";
import { describeGone, type PreparedCall, prepareStoredCall } from "./prepared-calls.ts";

/** What the model is told if nobody can allow a call. */
export const NO_USER = "The tool needs a user's authorization, and the call has no user to ask";

/** Whether a call may be made for its user, or the user has to allow it first; `no user` if nobody is known. */
type Access = "allowed" | "not allowed" | "no user";

/** The tool of a server whose users each allow its calls; undefined for others. */
export function personalServerOf(server: CalledServer | undefined): number | undefined {
  if (server?.isPersonal !== true || !("toolId" in server.approvals)) return undefined;
  return server.approvals.toolId;
}

/** Locks what the user has allowed of the servers of these calls, and reads it. Comes before the locks of logs. */
export async function readAccess(
  db: Queryable,
  userId: number | null,
  calls: readonly PreparedCall[],
): Promise<(call: PreparedCall) => Access> {
  const toolIds = [...new Set(calls.flatMap(({ tool }) => personalServerOf(tool?.server) ?? []))];
  const allowed = new Set<number>();
  for (const toolId of userId === null ? [] : toolIds.toSorted((a, b) => a - b)) {
    const named: OfUser = { toolId, userId: userId ?? 0 };
    await lockAuthorization(db, named);
    if ((await findAuthorization(db, named)) !== undefined) allowed.add(toolId);
  }
  return ({ tool }) => {
    const toolId = personalServerOf(tool?.server);
    if (toolId === undefined || allowed.has(toolId)) return "allowed";
    return userId === null ? "no user" : "not allowed";
  };
}

/** What the calls that wait for permission start, by the ids of their rows; undefined if it is gone. */
type PreparedById = ReadonlyMap<number, PreparedCall | undefined>;

/** The calls of a claimed turn that wait for their user's permission, and that user. */
export interface UnallowedCalls extends Pick<AskedBy, "userId" | "timezone"> {
  readonly calls: PreparedById;
}

/** Reads the calls of a claimed turn that wait for permission. Waits for threads: not for a transaction. */
export async function prepareUnallowedCalls(
  { database: { db }, threads, now }: Process,
  { actions: stored, message }: Pick<CallingTurn, "actions" | "message">,
): Promise<UnallowedCalls> {
  const waiting = stored.filter(({ status }) => status === callStatus.needsPermission);
  if (waiting.length === 0) return { calls: new Map(), ...askedByNobody };
  const options = { workspaceId: message.workspaceId, origin: "run" } as const;
  const calls = new Map<number, PreparedCall | undefined>();
  for (const action of waiting) {
    calls.set(action.id, await prepareStoredCall({ db, threads, now }, action, options));
  }
  return { calls, ...(await readAskedBy(db, message)) };
}

/** Those of the calls that may be made by now, or never. Locks what their user has allowed. */
export async function selectAllowedCalls(
  db: Queryable,
  { calls, userId }: UnallowedCalls,
): Promise<PreparedById> {
  const targets = [...calls.values()].flatMap((call) => call ?? []);
  const access = await readAccess(db, userId, targets);
  return new Map([...calls].filter(([, call]) => call === undefined || access(call) === "allowed"));
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
    readonly allowed: PreparedById;
    readonly timezone: string | null;
  },
): Promise<ActionRow[]> {
  if (allowed.size === 0) return [];
  const ended: ActionRow[] = [];
  for (const call of await readOpenCalls(transaction.db, [turn.message.id])) {
    const { action } = call;
    // The others were decided in the meantime.
    if (action.status !== callStatus.needsPermission || !allowed.has(action.id)) continue;
    const prepared = allowed.get(action.id);
    if (prepared === undefined) {
      const text = describeGone(action.functionCallName);
      ended.push(endedWith(action, { status: "errored", text, now: core.now() }));
    } else await startCalls(core, transaction, { turn, timezone, calls: [{ ...call, prepared }] });
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
        eq(actions.status, callStatus.needsPermission),
        eq(messages.status, "created"),
        eq(asked.userId, userId),
      ),
    );
  const logIds = rows.map(({ logId }) => logId);
  await resumeTurns(db, logIds, hints);
}
