import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { LocalStreams } from "./local-streams.ts";
import { minuteOf, STORED_MS } from "./minutes.ts";

/** Waiting runs of each kind that are looked at: counts stop there. */
const MAX_COUNTED = 10_000;
/** Workspaces that have a sample of a minute; the others are only in the sums. */
const MAX_WORKSPACES = 1000;

/** The runs that fulfil `where` and one of `states`, as far as they are counted: each state has an index. */
const someRuns = (states: readonly SQL[], where: SQL) =>
  sql.join(
    states.map(
      (state) => sql`
      (select workspace_id, created_at from runs where ${state} and ${where}
        limit ${sql.raw(String(MAX_COUNTED))})`,
    ),
    sql` union all `,
  );

/** Waiting runs (workspace_id, created_at). */
export const waitingRuns = (where: SQL): SQL =>
  someRuns(
    [
      sql`status = 'waiting' and kind = 'agent_turn'`,
      sql`status = 'waiting' and kind = 'invocation'`,
      sql`status = 'queued'`,
    ],
    where,
  );

/** Runs that workers hold (workspace_id, created_at). */
export const runningRuns = (where: SQL): SQL =>
  someRuns(
    [
      sql`status = 'running' and kind = 'agent_turn'`,
      sql`status = 'running' and kind = 'invocation'`,
    ],
    where,
  );

const maxWorkspaces = sql.raw(String(MAX_WORKSPACES));

// What waits is the same for all processes: the first one of a minute writes it. The sums are of workspace 0.
const sampleStatement = statement<{
  now: number;
  minute: number;
  oldest: number;
  processId: string;
  streams: string;
}>(
  "sample_load",
  sql`
  with deleted as (delete from load_samples where minute < ${sql.placeholder("oldest")}::bigint),
  waiting as (
    select coalesce(workspace_id, 0) as workspace_id, count(*)::int as waiting_runs,
      greatest(0, ${sql.placeholder("now")}::float8 - min(created_at))::bigint as oldest_waiting_ms
    from (${waitingRuns(sql`true`)}) counted
    group by grouping sets ((), (workspace_id))
    having count(*) > 0
    order by count(*) desc limit ${maxWorkspaces}
  ),
  streams as (
    select coalesce(w.id, 0) as workspace_id, sum(s.open)::int as open_streams
    from json_to_recordset(${sql.placeholder("streams")}::json) as s(sid text, open int)
    left join workspaces w on w.sid = s.sid
    where s.sid is null or w.id is not null
    group by 1
  )
  insert into load_samples (workspace_id, minute, process_id, waiting_runs, oldest_waiting_ms, open_streams)
  select workspace_id, ${sql.placeholder("minute")}::bigint, '', waiting_runs, oldest_waiting_ms, 0
  from waiting
  union all
  select workspace_id, ${sql.placeholder("minute")}::bigint, ${sql.placeholder("processId")}, 0, 0,
    open_streams
  from streams
  on conflict do nothing`,
);

/** Writes the load of this minute; writes nothing if there is none. Deletes what is older than a day. */
export async function sampleLoad(
  core: Process & { readonly localStreams: LocalStreams },
): Promise<void> {
  const now = core.now();
  const minute = minuteOf(now);
  const { processId } = core.localStreams;
  const open = [...core.localStreams.counts()].toSorted(([, a], [, b]) => b - a);
  const total = open.reduce((sum, [, count]) => sum + count, 0);
  const streams = [
    ...(total > 0 ? [{ open: total }] : []),
    ...open.slice(0, MAX_WORKSPACES).map(([sid, count]) => ({ sid, open: count })),
  ];
  const values = { now, minute, oldest: minute - STORED_MS, processId };
  await sampleStatement.execute(core.database.db, { ...values, streams: JSON.stringify(streams) });
}
