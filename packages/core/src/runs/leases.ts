import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Core } from "../context.ts";
import { retryConflicts } from "../retry-conflicts.ts";

// Who ends runs locks them in another order, so waiting for them would be a deadlock. A run that is
// locked is about to be ended; if it is not, the next renewal is in time.
const renewStatement = statement<
  { workerId: string; leaseMs: number; logIds: string },
  { logId: string }
>(
  "renew_leases",
  sql`
  with held as (
    select log_id from runs
    where status = 'running' and worker_id = ${sql.placeholder("workerId")}
      and log_id in (select value from json_array_elements_text(${sql.placeholder("logIds")}::json))
  ),
  free as (
    select runs.log_id from runs join held on held.log_id = runs.log_id
    where runs.status = 'running' and runs.worker_id = ${sql.placeholder("workerId")}
    for update of runs skip locked
  ),
  renewed as (
    update runs
    set lease_until = now() + ${sql.placeholder("leaseMs")}::int * interval '1 millisecond'
    from free where runs.log_id = free.log_id
  )
  select log_id as "logId" from held`,
);

/** Renews leases; the result holds the runs that the worker still has. */
export async function renewLeases(
  core: Core,
  options: { workerId: string; leaseMs: number; logIds: readonly string[] },
): Promise<Set<string>> {
  const rows = await renewStatement.execute(core.database.db, {
    ...options,
    logIds: JSON.stringify(options.logIds),
  });
  return new Set(rows.map((row) => row.logId));
}

// The logs first, in the order of their ids: who ends a run waits for its row under the log's lock.
// The attempt is also the fence, so it never goes back: the run gets another one instead.
const handBackStatement = statement<{ workerId: string; logIds: string }>(
  "hand_back_runs",
  sql`
  with held as (
    select id from logs
    where id in (select value from json_array_elements_text(${sql.placeholder("logIds")}::json))
    order by id for update
  )
  update runs set
    status = 'waiting',
    lease_until = null,
    max_attempts = case when kind = 'invocation' and max_attempts = 1 then 1 else max_attempts + 1 end
  from held
  where runs.log_id = held.id and status = 'running' and worker_id = ${sql.placeholder("workerId")}`,
);

/**
 * Hands runs back, so that another worker goes on with them at once. It costs them no attempt, except
 * that an invocation of a function that is not retryable has had its only one.
 */
export async function handBackRuns(
  core: Core,
  { workerId, logIds }: { workerId: string; logIds: readonly string[] },
): Promise<void> {
  if (logIds.length === 0) return;
  const values = { workerId, logIds: JSON.stringify(logIds) };
  await retryConflicts(core, () => handBackStatement.execute(core.database.db, values));
  core.bus.publish([{ topic: "runs", cause: "added" }]);
}
