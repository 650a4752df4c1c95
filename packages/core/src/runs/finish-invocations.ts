import type { InvocationEvent, InvocationOutcome } from "@parley/schema";
import { sql } from "drizzle-orm";
import { checkOutput } from "../checked-values.ts";
import type { Core } from "../context.ts";
import { appendingStatement, appendWith } from "../events/append.ts";
import type { Hint } from "../events/bus.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import type { LoadedInvocation } from "./load-invocation.ts";
import { wakeTurnsOf } from "./parked-turns.ts";

export interface FinishedInvocation extends LoadedInvocation {
  readonly run: ClaimedRun;
  readonly outcome: InvocationOutcome;
  /** Events that were not yet written; they come before the terminal one. */
  readonly events: readonly InvocationEvent[];
}

const finishStatement = appendingStatement<{ finished: string }>(
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
    update runs set status = 'finished', lease_until = null
    from finished where runs.log_id = finished.sid
  )`,
);

/**
 * Ends invocations: terminal event, row and run commit together. A result that the function's schema
 * refuses ends its invocation with `invalid_output`. One whose log is closed or held
 * by another attempt is left out alone; the result holds the ids of those that ended here.
 */
export async function finishInvocations(
  core: Core,
  results: readonly FinishedInvocation[],
): Promise<Set<string>> {
  const finished = results.map((one) => ({ ...one, outcome: checkOutcome(one) }));
  const finishedAt = core.now();
  const appends = finished.map((one) => ({
    logId: one.run.logId,
    events: [...one.events, terminalEvent(one, finishedAt)],
    guard: { logId: one.run.logId, fence: one.run.attempt },
  }));
  const columns = finished.map(({ invocation, outcome }) => ({
    id: invocation.id,
    sid: invocation.sid,
    status: outcome.status,
    result: outcome.status === "succeeded" ? JSON.stringify(outcome.result) : null,
    error: outcome.status === "errored" ? outcome.error : null,
    finished_at: finishedAt,
  }));
  const hints: Hint[] = [];
  const ofAgents = finished.flatMap(({ invocation }) =>
    invocation.actionId === null ? [] : invocation.sid,
  );
  const written = await appendWith(appends, hints, (entries) => {
    const values = { entries, finished: JSON.stringify(columns) };
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
  return written;
}

function checkOutcome({ outcome, sandboxFunction }: FinishedInvocation): InvocationOutcome {
  if (outcome.status === "errored") return outcome;
  const error = checkOutput(sandboxFunction.definition, outcome.result);
  return error === undefined ? outcome : { status: "errored", error };
}

function terminalEvent(finished: FinishedInvocation, created: number): InvocationEvent {
  const { invocation, sandboxFunction, outcome } = finished;
  const shared = { created, invocationId: invocation.sid, functionId: sandboxFunction.sid };
  return outcome.status === "succeeded"
    ? { type: "sandbox_function_invocation_result", ...shared, result: outcome.result }
    : { type: "sandbox_function_invocation_error", ...shared, error: outcome.error };
}
