import { runs, statement } from "@parley/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Core } from "../context.ts";

const renewStatement = statement<
  { workerId: string; leaseMs: number; ids: string },
  { id: number }
>(
  "renew_leases",
  sql`
  update runs
  set lease_until = now() + ${sql.placeholder("leaseMs")}::int * interval '1 millisecond'
  where status = 'running' and worker_id = ${sql.placeholder("workerId")}
    and id in (select value::bigint from json_array_elements_text(${sql.placeholder("ids")}::json))
  returning id`,
);

/** Renews leases; the result holds the runs that the worker still has. */
export async function renewLeases(
  core: Core,
  options: { workerId: string; leaseMs: number; ids: readonly number[] },
): Promise<Set<number>> {
  const rows = await renewStatement.execute(core.database.db, {
    ...options,
    ids: JSON.stringify(options.ids),
  });
  return new Set(rows.map((row) => row.id));
}

/**
 * Hands runs back, so that another worker goes on with them at once. It costs them no attempt, except
 * that an invocation of a function that is not retryable has had its only one.
 */
export async function handBackRuns(
  core: Core,
  options: { workerId: string; ids: readonly number[] },
): Promise<void> {
  if (options.ids.length === 0) return;
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
        inArray(runs.id, [...options.ids]),
        eq(runs.workerId, options.workerId),
        eq(runs.status, "running"),
      ),
    );
  core.bus.publish([{ topic: "runs", cause: "added" }]);
}
