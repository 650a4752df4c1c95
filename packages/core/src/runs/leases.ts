import { runs, statement } from "@parley/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Core } from "../context.ts";

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

/**
 * Hands runs back, so that another worker goes on with them at once. It costs them no attempt, except
 * that an invocation of a function that is not retryable has had its only one.
 */
export async function handBackRuns(
  core: Core,
  options: { workerId: string; logIds: readonly string[] },
): Promise<void> {
  if (options.logIds.length === 0) return;
  await core.database.db
    .update(runs)
    .set({
      status: "waiting",
      leaseUntil: null,
      // The attempt is also the fence, so it never goes back: the run gets another one instead.
      maxAttempts: sql`case when ${runs.kind} = 'invocation' and ${runs.maxAttempts} = 1
        then 1 else ${runs.maxAttempts} + 1 end`,
    })
    .where(
      and(
        inArray(runs.logId, [...options.logIds]),
        eq(runs.workerId, options.workerId),
        eq(runs.status, "running"),
      ),
    );
  core.bus.publish([{ topic: "runs", cause: "added" }]);
}
