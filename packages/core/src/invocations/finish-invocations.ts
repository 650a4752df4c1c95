import type { InvocationEvent, InvocationOutcome } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { retryConflicts } from "../data-access/retry-conflicts.ts";
import { appendingStatement, appendWith } from "../log/append.ts";
import type { Hint } from "../log/bus.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { wakeTurnsOf } from "../runs/suspend-turns.ts";
import { processorParts } from "../usage/processor-limits.ts";
import type { LoadedInvocation } from "./load-invocation.ts";
import { errorEvent } from "./read-invocations.ts";

export interface FinishedInvocation extends LoadedInvocation {
  readonly run: ClaimedRun;
  /** As `checkOutcome` gives it. */
  readonly outcome: InvocationOutcome;
  /** Processor time that it has used, if that is measured. */
  readonly cpuMs?: number | undefined;
  /** Events that were not yet written; they come before the terminal one. */
  readonly events: readonly InvocationEvent[];
  /** Number of the event before those; whichever is the log's last by default. */
  readonly lastSeq?: number;
}

const finishStatement = appendingStatement<{ finished: string; used: string | null }>(
  "finish_invocations",
  sql`
  finished as (
    select f.* from json_populate_recordset(
      null::invocations, ${sql.placeholder("finished")}::json
    ) f join numbered on numbered.id = f.sid
  ),
  invocation as (
    update invocations set
      status = finished.status,
      result = finished.result,
      error = finished.error,
      finished_at = finished.finished_at
    from finished where invocations.id = finished.id
  ),
  run as (
    update runs set status = 'finished', lease_until = null, finished_at = finished.finished_at,
      outcome = finished.status
    from finished where runs.log_id = finished.sid
  ),
  ${processorParts}`,
);

/**
 * Ends invocations: terminal event, row and run commit together. Skips one whose log is closed or held
 * by another attempt. Gives the ids of those that the attempts have ended, also those that an
 * unacknowledged call ended before.
 */
export async function finishInvocations(
  core: Process & StorageServices,
  finished: readonly FinishedInvocation[],
): Promise<Set<string>> {
  const finishedAt = core.now();
  const appends = finished.map((one) => ({
    logId: one.run.logId,
    events: [...one.events, terminalEvent(one, finishedAt)],
    guard: { logId: one.run.logId, fence: one.run.attempt, lastSeq: one.lastSeq },
  }));
  const columns = finished.map(({ invocation, outcome }) => ({
    id: invocation.id,
    sid: invocation.sid,
    status: outcome.status,
    result: outcome.status === "succeeded" ? JSON.stringify(outcome.result) : null,
    error: outcome.status === "errored" ? outcome.error : null,
    finished_at: finishedAt,
  }));
  const measured = finished.flatMap(({ invocation: { sid }, cpuMs = 0 }) =>
    cpuMs > 0 ? [{ sid, cpu_ms: Math.round(cpuMs) }] : [],
  );
  const used = measured.length === 0 ? null : JSON.stringify(measured);
  const hints: Hint[] = [];
  const ofAgents = finished.flatMap(({ invocation }) =>
    invocation.actionId === null ? [] : invocation.sid,
  );
  const written = await appendWith(appends, hints, (entries) => {
    const values = { entries, finished: JSON.stringify(columns), used };
    return retryConflicts(core, async () => {
      if (ofAgents.length === 0) return finishStatement.execute(core.database.db, values);
      return core.database.transaction(async (db) => {
        const ended = await finishStatement.execute(db, values);
        await wakeTurnsOf(db, ofAgents, hints);
        return ended;
      });
    });
  });
  core.bus.publish(hints);
  for (const [index, { invocation }] of finished.entries()) {
    if (!written.has(invocation.sid)) continue;
    // It is in the row and in the terminal event.
    const bytes = 2 * Buffer.byteLength(columns[index]?.result ?? "");
    core.storage.add(invocation.workspaceId, bytes);
  }
  return new Set(written.keys());
}

function terminalEvent(finished: FinishedInvocation, created: number): InvocationEvent {
  const { invocation, sandboxFunction, outcome } = finished;
  const { sid } = invocation;
  const functionSid = sandboxFunction.sid;
  if (outcome.status === "errored") return errorEvent({ sid, functionSid }, created, outcome.error);
  const type = "sandbox_function_invocation_result";
  return { type, created, invocationId: sid, functionId: functionSid, result: outcome.result };
}
