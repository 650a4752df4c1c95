import { type Queryable, statement } from "@parley/db";
import { type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Process } from "../context.ts";
import { findOldestWriterMs } from "../data-access/oldest-writer.ts";
import type { RunRow } from "../data-access/rows.ts";

/** How long a transaction may have the time of an end before it has written anything: it waits for a connection and locks. */
const COMMIT_MS = 15_000;
/** Runs that one batch looks at. */
export const MAX_BATCH_RUNS = 100;
/** Runs that are counted when a destination is too far behind. */
const MAX_COUNTED = 1_000_000;

/** A place in the ended runs of a workspace, which are in the order of their ends and numbers. */
export interface ExportPlace {
  readonly at: number;
  readonly runId: number;
}

/** A run that has ended. */
export interface EndedRun extends Pick<
  RunRow,
  "id" | "logId" | "createdAt" | "outcome" | "traceparent"
> {
  readonly kind: "agent_turn" | "invocation" | "compaction";
  readonly finishedAt: number;
  /** Whether a tool call of an answer started it: it is in the trace of the answer. */
  readonly isOfCall: boolean;
}

/** The condition that a run `r` that is traced has ended after a place, and by a time. */
export const hasEnded = ({
  at,
  runId,
  until,
}: Readonly<Record<"at" | "runId" | "until", SQLWrapper>>): SQL => sql`
  r.finished_at is not null and r.kind in ('agent_turn', 'invocation', 'compaction')
  and r.finished_at >= ${at}::bigint and (r.finished_at, r.id) > (${at}::bigint, ${runId}::bigint)
  and r.finished_at <= ${until}::bigint`;

const placeholders = {
  at: sql.placeholder("at"),
  runId: sql.placeholder("runId"),
  until: sql.placeholder("until"),
};

type Range = {
  readonly workspaceId: number;
  readonly at: number;
  readonly runId: number;
  readonly until: number;
};

const readStatement = statement<Range & { limit: number }, EndedRun>(
  "read_ended_runs",
  sql`
  select r.id::float8 as id, r.log_id as "logId", r.kind, r.created_at::float8 as "createdAt",
    r.finished_at::float8 as "finishedAt", r.outcome, r.traceparent,
    r.kind = 'invocation' and exists (
      select from invocations i where i.sid = r.log_id and i.action_id is not null
    ) as "isOfCall"
  from runs r
  where r.workspace_id = ${sql.placeholder("workspaceId")}::bigint and ${hasEnded(placeholders)}
  order by r.finished_at, r.id limit ${sql.placeholder("limit")}::int`,
);

/**
 * The time up to which all ends are committed: before it, no open transaction may still end a run. Read before the runs
 * are, so that what commits in between is seen.
 */
export async function endsCommittedUntil(
  { database: { db }, now }: Pick<Process, "database" | "now">,
  commitMs = COMMIT_MS,
): Promise<number> {
  const startedAt = now();
  return Math.floor(startedAt - (await findOldestWriterMs(db)) - commitMs);
}

/** The next runs of a workspace that have ended after a place and by a time, in their order. */
export const readEndedRuns = (
  db: Queryable,
  { workspaceId, at, runId, until, limit = MAX_BATCH_RUNS }: Range & { limit?: number },
): Promise<EndedRun[]> => readStatement.execute(db, { workspaceId, at, runId, until, limit });

const countStatement = statement<Range, { count: number }>(
  "count_ended_runs",
  sql`
  select count(*)::int as count from (
    select from runs r
    where r.workspace_id = ${sql.placeholder("workspaceId")}::bigint and ${hasEnded(placeholders)}
    limit ${sql.raw(String(MAX_COUNTED))}
  ) ended`,
);

/** How many runs have ended after a place and by a time. */
export async function countEndedRuns(db: Queryable, range: Range): Promise<number> {
  const [row] = await countStatement.execute(db, range);
  return row?.count ?? 0;
}
