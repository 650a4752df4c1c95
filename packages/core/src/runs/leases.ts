import { logs, type Queryable, statement } from "@parley/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { jsonValues } from "../data-access/row-json.ts";
import { retryConflicts } from "../data-access/retry-conflicts.ts";
import { endedAttempt } from "./attempt-history.ts";
import type { ClaimedRun } from "./claim-parts.ts";
import { noteSurvived } from "./deaths.ts";
import { isOfKindWith } from "./run-kinds.ts";

// Ending runs locks them in another order, so waiting for them could deadlock. A locked run is about to
// end; if it does not, the next renewal is in time.
const renewStatement = statement<
  { workerId: string; leaseMs: number; logIds: string },
  { logId: string }
>(
  "renew_leases",
  sql`
  with held as (
    select log_id from runs
    where status = 'running' and worker_id = ${sql.placeholder("workerId")}
      and log_id in ${jsonValues(sql.placeholder("logIds"))}
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

/** Renews leases and gives the runs that the worker still holds. Losing some does not affect the others. */
export async function renewLeases(
  core: Process,
  options: { workerId: string; leaseMs: number; logIds: readonly string[] },
): Promise<Set<string>> {
  const rows = await renewStatement.execute(core.database.db, {
    ...options,
    logIds: JSON.stringify(options.logIds),
  });
  const held = new Set(rows.map((row) => row.logId));
  const lost = options.logIds.filter((logId) => !held.has(logId));
  await noteSurvived(core.database.db, { workerId: options.workerId, logIds: lost });
  return held;
}

// The logs first, in the order of their ids: ending a run waits for its row under the log's lock. The
// attempt is also the fence, so it never decreases: what does not count is counted beside it.
const handBackStatement = statement<{ workerId: string; logIds: string; begun: boolean }>(
  "hand_back_runs",
  sql`
  with held as (
    select id from logs
    where id in ${jsonValues(sql.placeholder("logIds"))}
    order by id for update
  )
  update runs set
    status = 'waiting',
    attempts = ${endedAttempt("handed_back")},
    lease_until = null,
    spared_attempts = spared_attempts + (
      not (${sql.placeholder("begun")}::bool and ${isOfKindWith("mayRunOnce")} and max_attempts = 1)
    )::int
  from held
  where runs.log_id = held.id and status = 'running' and worker_id = ${sql.placeholder("workerId")}`,
);

/**
 * Hands runs back, so that another worker continues them at once. This costs no attempt, except that an
 * invocation of a function that is not retryable has had its only one if it has begun.
 */
export async function handBackRuns(
  core: Process,
  options: { workerId: string; logIds: readonly string[]; begun: boolean },
): Promise<void> {
  if (options.logIds.length === 0) return;
  const values = { ...options, logIds: JSON.stringify(options.logIds) };
  await retryConflicts(core, () => handBackStatement.execute(core.database.db, values));
  core.bus.publish([{ topic: "runs", cause: "added" }]);
}

const handBackUnknownStatement = statement<{ workerId: string; leaseMs: number; known: string }>(
  "hand_back_unknown_runs",
  sql`
  with unknown as (
    select log_id from runs
    where status = 'running' and worker_id = ${sql.placeholder("workerId")}
      and lease_until < now() + ${sql.placeholder("leaseMs")}::int / 2 * interval '1 millisecond'
      and log_id not in ${jsonValues(sql.placeholder("known"))}
  ),
  held as (
    select id from logs where id in (select log_id from unknown) order by id for update
  )
  update runs set status = 'waiting', attempts = ${endedAttempt("handed_back")}, lease_until = null,
    spared_attempts = spared_attempts + 1
  from held
  where runs.log_id = held.id and status = 'running' and worker_id = ${sql.placeholder("workerId")}
  returning log_id as "logId"`,
);

/**
 * Hands back runs whose claim never reached the worker: not those of `known`, nor those whose lease has
 * more than half of its time left, which may be on their way. They never began, so it costs no attempt.
 */
export async function handBackUnknownRuns(
  core: Process,
  { workerId, leaseMs, known }: { workerId: string; leaseMs: number; known: readonly string[] },
): Promise<void> {
  const values = { workerId, leaseMs, known: JSON.stringify(known) };
  const { db } = core.database;
  const handedBack = await retryConflicts(core, () => handBackUnknownStatement.execute(db, values));
  if (handedBack.length > 0) core.bus.publish([{ topic: "runs", cause: "added" }]);
}

/** The run's log is closed, or another worker has taken the run over. */
export class LostLease extends Error {
  override readonly name = "LostLease";
}

/** A run, and the attempt that holds it. */
export type HeldLog = Pick<ClaimedRun, "logId" | "attempt">;

/** The error of a run that may not write any more. */
export function lostLease(run: HeldLog): LostLease {
  return new LostLease(`Attempt ${run.attempt} no longer holds ${run.logId}`);
}

/** Number of the last event in the log of a run that this attempt holds. Throws `LostLease`. */
export async function readHeldLog(
  db: Queryable,
  run: HeldLog,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<number> {
  const query = db
    .select({ lastSeq: logs.lastSeq })
    .from(logs)
    .where(and(eq(logs.id, run.logId), eq(logs.fence, run.attempt), isNull(logs.closedAt)));
  const [held] = await (isLocked ? query.for("update") : query);
  if (held === undefined) throw lostLease(run);
  return held.lastSeq;
}
