import { runs, statement } from "@parley/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Core } from "../context.ts";

const renewStatement = statement<
  { workerId: string; leaseMs: number; logIds: string },
  { logId: string }
>(
  "renew_leases",
  sql`
  update runs
  set lease_until = now() + ${sql.placeholder("leaseMs")}::int * interval '1 millisecond'
  where status = 'running' and worker_id = ${sql.placeholder("workerId")}
    and log_id in (select value from json_array_elements_text(${sql.placeholder("logIds")}::json))
  returning log_id as "logId"`,
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
