import { actions, messages, type Queryable, type StoredStep } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow } from "../data-access/rows.ts";
import { buildInvocation } from "../invocations/new-invocations.ts";
import { hintsOf, writeInvocations } from "../invocations/write-invocations.ts";
import { appendEvents } from "../log/append.ts";
import { inTransaction } from "../log/transaction.ts";
import { renderAction } from "../messages/render-messages.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { lostLease, readHeldLog } from "../runs/leases.ts";
import { suspendTurn } from "../runs/suspend-turns.ts";
import { authorizeCalls } from "../calls/authorize-calls.ts";
import { type Called, callFunction, callTool, findCalledFunctions } from "../calls/called.ts";
import {
  APPROVAL_MS,
  CALL_MS,
  callStatus,
  type StepCall,
  waitsForUser,
} from "../calls/function-calls.ts";
import type { Turn } from "./load-turns.ts";
import { renderApprovals } from "../calls/tool-approvals.ts";

export interface FinishedStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly step: number;
  /** In the order in which the model made them. */
  readonly calls: readonly StepCall[];
  /** Events that were not yet written. */
  readonly events: readonly MessageEvent[];
  /** Number of the event before them, so that none can follow a gap; the log's last by default. */
  readonly lastSeq?: number;
  /** Text of all steps that have finished, this one last. */
  readonly rawContents: { step: number; content: string }[];
  readonly chainOfThought: string | null;
  /** The usage of each of those steps. */
  readonly steps?: readonly StoredStep[] | undefined;
}

/** The tool calls of a step that was saved, and where the run's log then ends. */
export interface SavedStep {
  readonly rows: readonly ActionRow[];
  readonly lastSeq: number;
}

/**
 * Writes a finished step with its tool calls and their events, so that a takeover continues after it. If
 * it calls functions, they are invoked or wait for approval, and the turn is suspended, which ends the
 * attempt. A step that the attempt has already saved without being notified stays as it is. Throws
 * `LostLease`.
 */
export async function saveStep(core: Process, finished: FinishedStep): Promise<SavedStep> {
  const { run, turn, step, rawContents, chainOfThought } = finished;
  const steps = finished.steps && [...finished.steps];
  const called = await checkCalls(core, finished);
  return inTransaction(core, async ({ db, afterCommit }) => {
    const now = core.now();
    const given = { calls: finished.calls, called };
    const { authorized, timezone, userSid } = await authorizeCalls(db, turn, given);
    const rows = await db
      .insert(actions)
      .values(
        authorized.map(({ call, called: { tool, stake } = {}, ...outcome }, position) => ({
          sid: core.newId("act"),
          messageId: turn.message.id,
          ...(call.output === undefined && { logId: run.logId, workspaceId: run.workspaceId }),
          step,
          position,
          toolName: tool?.toolName ?? call.name,
          functionCallName: call.name,
          functionCallId: call.id,
          mcpServerId: tool?.server.sid,
          stake: tool && stake,
          status: outcome.status,
          params: call.params,
          output: outcome.output === null ? null : [{ type: "text", text: outcome.output }],
          executionDurationMs: outcome.durationMs,
          createdAt: now,
          updatedAt: now,
        })),
      )
      .onConflictDoNothing()
      .returning();
    if (rows.length < authorized.length) return readSavedStep(db, finished);
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId, step };
    const blocked = rows.filter(({ status }) => waitsForUser(status));
    const approvals = renderApprovals(
      blocked.map((action) => ({
        action,
        serverName: authorized[action.position]?.called?.tool?.server.name ?? null,
        agent: turn.agent,
        conversationId: turn.conversation.sid,
        messageId: run.logId,
        userId: userSid,
      })),
    );
    const events = rows.flatMap((row): MessageEvent[] => {
      const action = renderAction(row);
      const announced = { type: "tool_params", ...shared } as const;
      const approval = approvals[blocked.indexOf(row)];
      if (row.output === null) {
        const waiting = approval === undefined ? [] : [{ ...approval, step }];
        return [{ ...announced, action }, ...waiting];
      }
      return [
        { ...announced, action: { ...action, status: callStatus.running, output: null } },
        { type: "agent_action_success", ...shared, action },
      ];
    });
    const guard = { logId: run.logId, fence: run.attempt, lastSeq: finished.lastSeq };
    const appends = [
      { logId: run.logId, events: [...finished.events, ...events], guard },
      { logId: turn.conversation.sid, events: approvals, guard },
    ];
    const written = await appendEvents(db, appends, afterCommit);
    const lastSeq = written.get(run.logId);
    if (lastSeq === undefined) throw lostLease(run);
    await db
      .update(messages)
      .set({ rawContents, chainOfThought, steps })
      .where(eq(messages.sid, run.logId));
    const saved = { rows, lastSeq };
    if (!finished.calls.some(({ output }) => output === undefined)) return saved;

    const created = authorized.flatMap(({ status, called: started }, position) => {
      if (status !== callStatus.running || started === undefined) return [];
      const request = {
        sandboxFunction: started.sandboxFunction,
        workspaceId: turn.message.workspaceId,
        apiKeyId: null,
        ownerId: turn.conversation.ownerId,
        actionId: rows[position]!.id,
        input: started.input,
        timezone,
      };
      return buildInvocation(core, request);
    });
    if (created.length > 0) await writeInvocations(db, created);
    afterCommit.push(...hintsOf(created));
    const delayMs = created.length > 0 ? CALL_MS : APPROVAL_MS;
    await suspendTurn(db, { run, delayMs }, afterCommit);
    return saved;
  });
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
  return { rows, lastSeq };
}

/** Finds what open calls start, and checks their inputs, before the transaction: that must not wait for a thread. */
async function checkCalls(
  core: Process,
  { turn, calls }: FinishedStep,
): Promise<ReadonlyMap<StepCall, Called>> {
  const { workspaceId } = turn.message;
  const options = { workspaceId, origin: "run" } as const;
  const open = calls.filter(({ output }) => output === undefined);
  const tools = new Map(turn.tools.map((tool) => [tool.name, tool]));
  const slugs = open.flatMap(({ name }) => (tools.has(name) ? [] : name));
  const functions = await findCalledFunctions(core.database.db, workspaceId, slugs);
  const called = new Map<StepCall, Called>();
  for (const call of open) {
    const { name, params } = call;
    const tool = tools.get(name);
    const sandboxFunction = functions.get(name);
    if (tool !== undefined) called.set(call, await callTool(core, { tool, params }, options));
    else if (sandboxFunction !== undefined) {
      called.set(call, await callFunction(core, { sandboxFunction, params }, options));
    }
  }
  return called;
}
