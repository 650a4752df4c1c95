import { actions, messages } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { eq } from "drizzle-orm";
import { type Core, inTransaction } from "../context.ts";
import { appendEvents } from "../events/append.ts";
import { renderAction } from "../messages.ts";
import type { ActionRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import { lostLease } from "./lost-lease.ts";
import type { Turn } from "./load-turns.ts";

/** A tool call and what came of it. */
export interface FinishedCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly output: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

export interface FinishedStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly step: number;
  readonly calls: readonly FinishedCall[];
  /** Events that were not yet written. */
  readonly events: readonly MessageEvent[];
  /** Text of all steps that have finished, this one last. */
  readonly rawContents: { step: number; content: string }[];
  readonly chainOfThought: string | null;
}

/**
 * Writes a finished step with its tool calls and their events, so that a takeover goes on behind
 * it. Throws `LostLease`.
 */
export async function saveStep(core: Core, finished: FinishedStep): Promise<ActionRow[]> {
  const { run, turn, step, rawContents, chainOfThought } = finished;
  return inTransaction(core, async ({ db, afterCommit }) => {
    const now = core.now();
    const rows = await db
      .insert(actions)
      .values(
        finished.calls.map((call, position) => ({
          sid: core.newId("act"),
          messageId: turn.message.id,
          step,
          position,
          toolName: call.name,
          functionCallName: call.name,
          functionCallId: call.id,
          status: call.isError ? "errored" : "succeeded",
          params: call.params,
          output: [{ type: "text", text: call.output }],
          executionDurationMs: Math.round(call.durationMs),
          createdAt: now,
          updatedAt: now,
        })),
      )
      // Only an attempt that was taken over meets the other's rows; the append below refuses it.
      .onConflictDoNothing()
      .returning();
    const shared = { created: now, configurationId: turn.agent.sid, messageId: run.logId, step };
    const events = rows.flatMap((row): MessageEvent[] => [
      {
        type: "tool_params",
        ...shared,
        action: { ...renderAction(row), status: "running", output: null },
      },
      { type: "agent_action_success", ...shared, action: renderAction(row) },
    ]);
    const append = {
      logId: run.logId,
      events: [...finished.events, ...events],
      guard: { logId: run.logId, fence: run.attempt },
    };
    const written = await appendEvents(db, [append], afterCommit);
    if (!written.has(run.logId)) throw lostLease(run);
    await db
      .update(messages)
      .set({ rawContents, chainOfThought })
      .where(eq(messages.sid, run.logId));
    return rows;
  });
}
