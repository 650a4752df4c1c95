import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Core } from "../context.ts";
import type { RunRow } from "../rows.ts";
import { type TurnColumns, turnColumns } from "./load-turns.ts";

/** A run that this worker holds until its lease ends. */
export interface ClaimedRun {
  readonly id: number;
  readonly kind: RunRow["kind"];
  readonly logId: string;
  readonly subjectId: number;
  /** Number of this attempt, from 1: the fence of everything that the run writes. */
  readonly attempt: number;
  /** Whether all attempts that the run may have were taken before this one. */
  readonly exhausted: boolean;
  /** What an agent turn starts from, as it stood when the run was claimed. */
  readonly turn: TurnColumns | null;
}

// A run waits while an earlier one of its lane has not ended. Claiming sets the log's fence to the
// attempt, so that a worker that lost its lease can append nothing. The run of a closed log is not
// claimed but finished: left running, it would hold up its lane and be taken over for ever.
// Run and log are locked without waiting: who ends a run locks its log first, and two orders of
// waiting would be a deadlock.
const claimStatement = (name: string, due: SQL) =>
  statement<{ workerId: string; leaseMs: number; limit: number }, ClaimedRun>(
    name,
    sql`
    with due as (
      select r.log_id, logs.closed_at from runs r join logs on logs.id = r.log_id
      where ${due} and not exists (
          select 1 from runs earlier
          where earlier.lane = r.lane and earlier.id < r.id and earlier.status <> 'finished'
        )
      order by r.priority, r.id
      limit ${sql.placeholder("limit")}
      for update of r, logs skip locked
    ),
    claimed as (
      update runs set
        status = case when due.closed_at is null then 'running' else 'finished' end,
        attempt = runs.attempt + 1,
        worker_id = ${sql.placeholder("workerId")},
        lease_until = now() + ${sql.placeholder("leaseMs")}::int * interval '1 millisecond'
      from due where runs.log_id = due.log_id
      returning runs.*
    ),
    fenced as (
      update logs set fence = claimed.attempt
      from claimed where logs.id = claimed.log_id and claimed.status = 'running'
    )
    select claimed.id, kind, log_id as "logId", subject_id as "subjectId", attempt,
      attempt > max_attempts as exhausted, turn.columns as turn
    from claimed left join lateral (${turnColumns}) turn on claimed.kind = 'agent_turn'
    where claimed.status = 'running'
    order by priority, claimed.id`,
  );

const claimWaiting = claimStatement(
  "claim_waiting_runs",
  sql`r.status = 'waiting' and r.run_after <= now()`,
);

const claimExpired = claimStatement(
  "claim_expired_runs",
  sql`r.status = 'running' and r.lease_until < now()`,
);

export interface ClaimOptions {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Claims runs that wait, the most urgent first; each goes to one worker only. */
export async function claimRuns(core: Core, options: ClaimOptions): Promise<ClaimedRun[]> {
  return claimWaiting.execute(core.database.db, { ...options });
}

/** Takes over runs whose worker has not renewed its lease. */
export async function takeOverRuns(core: Core, options: ClaimOptions): Promise<ClaimedRun[]> {
  return claimExpired.execute(core.database.db, { ...options });
}
