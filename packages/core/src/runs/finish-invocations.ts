import { statement } from "@parley/db";
import type { InvocationEvent, InvocationOutcome } from "@parley/schema";
import { sql } from "drizzle-orm";
import { type Core, inTransaction } from "../context.ts";
import { appendEvents } from "../events/append.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import type { LoadedInvocation } from "./load-invocation.ts";

export interface FinishedInvocation extends LoadedInvocation {
  readonly run: ClaimedRun;
  readonly outcome: InvocationOutcome;
  /** Events that were not yet written; they come before the terminal one. */
  readonly events: readonly InvocationEvent[];
}

const finishStatement = statement<{ finished: string }>(
  "finish_invocations",
  sql`
  with finished as (
    select * from json_populate_recordset(null::invocations, ${sql.placeholder("finished")}::json)
  ),
  invocation as (
    update invocations set
      status = finished.status,
      result = finished.result,
      error = finished.error,
      finished_at = finished.finished_at
    from finished where invocations.id = finished.id
  )
  update runs set status = 'finished', lease_until = null
  where log_id in (select sid from finished)`,
);

/**
 * Ends invocations: terminal event, row and run commit together. One whose log is closed or held
 * by another attempt is left out alone; the result holds the ids of those that ended here.
 */
export async function finishInvocations(
  core: Core,
  finished: readonly FinishedInvocation[],
): Promise<Set<string>> {
  return inTransaction(core, async ({ db, afterCommit }) => {
    const created = core.now();
    const appends = finished.map((one) => ({
      logId: one.run.logId,
      events: [...one.events, terminalEvent(one, created)],
      guard: { logId: one.run.logId, fence: one.run.attempt },
    }));
    const written = await appendEvents(db, appends, afterCommit);
    const ended = finished.filter(({ run }) => written.has(run.logId));
    if (ended.length > 0) {
      const columns = ended.map(({ invocation, outcome }) => ({
        id: invocation.id,
        sid: invocation.sid,
        status: outcome.status,
        result: outcome.status === "succeeded" ? JSON.stringify(outcome.result) : null,
        error: outcome.status === "errored" ? outcome.error : null,
        finished_at: created,
      }));
      await finishStatement.execute(db, { finished: JSON.stringify(columns) });
    }
    return new Set(ended.map(({ run }) => run.logId));
  });
}

function terminalEvent(finished: FinishedInvocation, created: number): InvocationEvent {
  const { invocation, sandboxFunction, outcome } = finished;
  const shared = { created, invocationId: invocation.sid, functionId: sandboxFunction.sid };
  return outcome.status === "succeeded"
    ? { type: "sandbox_function_invocation_result", ...shared, result: outcome.result }
    : { type: "sandbox_function_invocation_error", ...shared, error: outcome.error };
}
