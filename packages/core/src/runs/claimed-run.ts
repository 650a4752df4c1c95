import { type SQL, sql } from "drizzle-orm";
import type { RunRow } from "../rows.ts";
import { type TurnColumns, turnColumns } from "./load-turns.ts";

/** A run that this worker holds until its lease ends. */
export interface ClaimedRun {
  readonly id: number;
  readonly kind: RunRow["kind"];
  readonly workspaceId: number;
  /** Public id of the workspace; null once that is deleted. */
  readonly workspaceSid: string | null;
  /** The request that made the run, and the trace that it was part of. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly logId: string;
  readonly subjectId: number;
  /** Number of this attempt, from 1: the fence of everything that the run writes. */
  readonly attempt: number;
  /** Whether all attempts that the run may have were taken before this one. */
  readonly exhausted: boolean;
  /** What an agent turn starts from, as it stood when the run was claimed. */
  readonly turn: TurnColumns | null;
  /** The row of an invocation, as JSON of its columns. */
  readonly invocation: object | null;
}

// What a claim returns. The subject comes with it: a turn or an invocation costs one statement less.
const returned = (subject: SQL) => sql`
  claimed.id, claimed.kind, claimed.workspace_id as "workspaceId", claimed.log_id as "logId",
  claimed.subject_id as "subjectId", claimed.attempt,
  claimed.attempt > claimed.max_attempts as exhausted, claimed.request_id as "requestId",
  claimed.traceparent, (select sid from workspaces w where w.id = claimed.workspace_id) as "workspaceSid",
  ${subject}`;

/** Columns of a claimed agent turn; `turnOfClaimed` is joined. */
export const claimedTurn = returned(sql`turn.columns as turn, null as invocation`);
export const turnOfClaimed = sql`left join lateral (${turnColumns}) turn on true`;

/** Columns of a claimed invocation. */
export const claimedInvocation = returned(sql`
  null as turn,
  (select to_json(i) from invocations i where i.id = claimed.subject_id) as invocation`);

/** Parts of a statement that claim the runs of `due` (log_id, closed_at), which it has locked. */
// Claiming sets the log's fence to the attempt, so that a worker that lost its lease can append
// nothing. The run of a closed log is not claimed but finished: left running, it would hold up its
// lane and be taken over for ever.
export const claimParts = sql`
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
  )`;

/** Runs that one statement claims at most. */
export const MAX_CLAIMED = 100;

/**
 * A limit that is at most `MAX_CLAIMED`, and that is all PostgreSQL knows of it when it plans: of one
 * that it takes for larger it would keep no plan, but plan at every execution.
 */
export function limited(rows: SQL, limit: SQL, locking: SQL = sql``): SQL {
  const bounded = sql`${rows} limit ${sql.raw(String(MAX_CLAIMED))} ${locking}`;
  return sql`select * from (${bounded}) bounded limit ${limit}`;
}

/** What a worker claims with. */
export interface ClaimValues extends Record<string, unknown> {
  workerId: string;
  leaseMs: number;
  limit: number;
  /** The workspace behind which the claim begins to look. */
  after: number;
}

/** A claimed run, or a row without one that only says what the claim has seen. */
export type ClaimedRow = (ClaimedRun | { readonly id: null }) & {
  /** Whether runs may be left that can be claimed once others end. */
  readonly more: boolean;
  /** The workspace behind which the next claim is to begin; 0 when this one looked at the last. */
  readonly after: number;
};
