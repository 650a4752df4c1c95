import { actions, messages, type StoredStep } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { eq } from "drizzle-orm";
import { type Core, inTransaction } from "../context.ts";
import { appendEvents } from "../events/append.ts";
import { APPROVAL_MS, CALL_MS, callStatus } from "../function-calls.ts";
import { buildInvocation, hintsOf, writeInvocations } from "../insert-invocations.ts";
import { renderAction } from "../messages.ts";
import type { ActionRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import { lostLease } from "./lost-lease.ts";
import type { Turn } from "./load-turns.ts";
import { parkTurn } from "./parked-turns.ts";
import { judgeCalls, type JudgedCall } from "./judge-calls.ts";

/** A tool call and what came of it. */
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

export interface FinishedStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly step: number;
  /** In the order in which the model made them. */
  readonly calls: readonly (FinishedCall | FunctionCall)[];
  /** Events that were not yet written. */
  readonly events: readonly MessageEvent[];
  /** Text of all steps that have finished, this one last. */
  readonly rawContents: { step: number; content: string }[];
  readonly chainOfThought: string | null;
  /** What each of those steps took. */
  readonly steps?: readonly StoredStep[] | undefined;
}

/**
 * Writes a finished step with its tool calls and their events, so that a takeover goes on behind
 * it. Where it calls functions, they are invoked, or wait for approval, and the turn is parked: the
 * attempt ends with that. Throws `LostLease`.
 */
export async function saveStep(core: Core, finished: FinishedStep): Promise<ActionRow[]> {
  const { run, turn, step, rawContents, chainOfThought } = finished;
  const steps = finished.steps && [...finished.steps];
  return inTransaction(core, async ({ db, afterCommit }) => {
    const now = core.now();
    const { judged, timezone } = await judgeCalls(db, turn, finished.calls);
    const rows = await db
      .insert(actions)
      .values(
        judged.map(({ call, status, output, durationMs }, position) => ({
          sid: core.newId("act"),
          messageId: turn.message.id,
          logId: call.output === undefined ? run.logId : null,
          step,
          position,
          toolName: call.name,
          functionCallName: call.name,
          functionCallId: call.id,
          status,
          params: call.params,
          output: output === null ? null : [{ type: "text", text: output }],
          executionDurationMs: durationMs,
          createdAt: now,
          updatedAt: now,
        })),
      )
      // Only an attempt that was taken over meets the other's rows; the append below refuses it.
      .onConflictDoNothing()
      .returning();
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId, step };
    const events = rows.flatMap((row): MessageEvent[] => {
      const action = renderAction(row);
      const announced = { type: "tool_params", ...shared } as const;
      if (row.output === null) return [{ ...announced, action }];
      return [
        { ...announced, action: { ...action, status: callStatus.running, output: null } },
        { type: "agent_action_success", ...shared, action },
      ];
    });
    const append = {
      logId: run.logId,
      events: [...finished.events, ...events],
      guard: { logId: run.logId, fence: run.attempt },
    };
    const written = await appendEvents(db, [append], afterCommit);
    if (!written.has(run.logId)) throw lostLease(run);
    await db
      .update(messages)
      .set({ rawContents, chainOfThought, steps })
      .where(eq(messages.sid, run.logId));
    if (!finished.calls.some(({ output }) => output === undefined)) return rows;

    const made = judged.flatMap(({ invoked, call }, position) => {
      if (invoked === undefined) return [];
      const request = {
        sandboxFunction: invoked,
        workspaceId: turn.message.workspaceId,
        apiKeyId: null,
        actionId: rows[position]!.id,
        input: call.params,
        timezone,
      };
      return buildInvocation(core, request);
    });
    if (made.length > 0) await writeInvocations(db, made);
    afterCommit.push(...hintsOf(made));
    await parkTurn(db, { run, delayMs: longestWait(judged) }, afterCommit);
    return rows;
  });
}

function longestWait(judged: readonly JudgedCall[]): number {
  return judged.some(({ invoked }) => invoked !== undefined) ? CALL_MS : APPROVAL_MS;
}
