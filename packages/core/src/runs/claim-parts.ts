import { type SQL, sql } from "drizzle-orm";
import { begunAttempt, toMs } from "./attempt-history.ts";
import { distinctKeys } from "./distinct-keys.ts";
import type { RunKind } from "./run-kinds.ts";

/** A run that this worker holds until its lease ends; its kind determines the `Subject`. */
export interface ClaimedRun<Subject = unknown> {
  readonly id: number;
  readonly kind: RunKind;
  readonly workspaceId: number;
  /** Public id of the workspace; null once that is deleted. */
  readonly workspaceSid: string | null;
  /** The request that created the run, and its trace. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** Who is billed; null for none, and in rows from before. */
  readonly apiKeyId: number | null;
  readonly userId: number | null;
  readonly logId: string;
  readonly subjectId: number;
  /** Number of this attempt, from 1: the fence of all that it writes. */
  readonly attempt: number;
  /** Number of the last event in the run's log when this attempt began. */
  readonly lastSeq: number;
  /** Whether the run had all of its attempts before this one. */
  readonly exhausted: boolean;
  /** What the run starts from, as it stood when it was claimed; null if that is large, or deleted. */
  readonly subject: Subject | null;
}

/** What a claim returns: the run, and its subject as JSON, which saves a statement for each run. */
export const claimedColumns = (subject: SQL): SQL => sql`
  claimed.id, claimed.kind, claimed.workspace_id as "workspaceId", claimed.log_id as "logId",
  claimed.subject_id as "subjectId", claimed.attempt,
  (select last_seq from fenced where fenced.id = claimed.log_id) as "lastSeq",
  claimed.attempt - claimed.spared_attempts > claimed.max_attempts + (claimed.outcome is not null)::int as exhausted,
  claimed.request_id as "requestId", claimed.api_key_id as "apiKeyId", claimed.user_id as "userId",
  claimed.traceparent, (select sid from workspaces w where w.id = claimed.workspace_id) as "workspaceSid",
  (${subject}) as subject`;

/** Parts of a statement that claim the runs of `due` (log_id, closed_at), which it has locked. */
// Claiming sets the log's fence to the attempt, so that a worker that lost its lease can append
// nothing. The run of a closed log is not claimed but finished: otherwise it would block its ordering
// key and be taken over for ever.
export const claimParts = sql`
  claimed as (
    update runs set
      status = case when due.closed_at is null then 'running' else 'finished' end,
      attempt = runs.attempt + 1,
      started_at = coalesce(runs.started_at, ${toMs(sql`now()`)}),
      attempts = ${begunAttempt(sql.placeholder("workerId") as unknown as SQL)},
      worker_id = ${sql.placeholder("workerId")},
      lease_until = now() + ${sql.placeholder("leaseMs")}::int * interval '1 millisecond'
    from due where runs.log_id = due.log_id
    returning runs.*
  ),
  fenced as (
    update logs set fence = claimed.attempt
    from claimed where logs.id = claimed.log_id and claimed.status = 'running'
    returning logs.id, logs.last_seq
  )`;

/** Workspaces that one claim looks at. */
const MAX_WORKSPACES = 64;

/** A recursive part: the next workspaces (key, place) that have runs of `where`. */
export const nextWorkspaces = (where: SQL): SQL =>
  distinctKeys({
    name: "workspace_ids",
    column: sql`runs.workspace_id`,
    where,
    after: sql`${sql.placeholder("after")}::bigint`,
    max: MAX_WORKSPACES,
  });

/** The `after` of the next claim. */
export const lastWorkspace = sql`
  (select case when count(*) < ${sql.raw(String(MAX_WORKSPACES))} then 0 else max(key) end
    from workspace_ids)`;

/** Runs that one statement claims at most. */
export const MAX_CLAIMED = 100;

/**
 * A limit of at most `MAX_CLAIMED`, which is all that PostgreSQL's planner knows about it: for a limit
 * that it assumes to be larger, it would plan at every execution.
 */
export function limited(rows: SQL, limit: SQL, locking: SQL = sql``): SQL {
  const bounded = sql`${rows} limit ${sql.raw(String(MAX_CLAIMED))} ${locking}`;
  return sql`select * from (${bounded}) bounded limit ${limit}`;
}

/** Which worker claims, for how long, and how many runs at most. */
export type ClaimOptions = {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly limit: number;
};

/** A claim of waiting runs: each looks at some workspaces, in their order. */
export type ClaimFrom = ClaimOptions & {
  /** `after` of the previous claim; 0 at first. */
  readonly after: number;
  /** Runs of a workspace that may be held at once. */
  readonly perWorkspace: number;
};

/** A claimed run, or a row without one that only says what the claim looked at. */
export type ClaimedRow<Subject> = (ClaimedRun<Subject> | { readonly id: null }) & {
  /** Whether runs may be left that can be claimed once others end. */
  readonly more: boolean;
  /** As `Claimed.full`. */
  readonly full?: readonly number[];
  /** The workspace after which the next claim is to begin; 0 when this one looked at the last. */
  readonly after: number;
};

/** The result of a claim. */
export interface Claimed<Subject = unknown> {
  readonly runs: readonly ClaimedRun<Subject>[];
  /** Whether runs may be left that can be claimed once some of the worker's, or of others, end. */
  readonly more: boolean;
  /** Workspaces, if known, of which runs are left because the worker holds as many of them as it may. */
  readonly full?: readonly number[] | undefined;
  /** For the next claim; greater than 0 when there are more workspaces to look at. */
  readonly after: number;
}

/** The result of a claim, from its rows. */
export function toClaimed<Subject>(rows: readonly ClaimedRow<Subject>[]): Claimed<Subject> {
  const { more = false, full, after = 0 } = rows[0] ?? {};
  const runs = rows.filter(
    (row): row is ClaimedRow<Subject> & ClaimedRun<Subject> => row.id !== null,
  );
  const withoutLook = runs.map(({ more: _more, full: _full, after: _after, ...run }) => run);
  return { runs: withoutLook, more, full, after };
}
