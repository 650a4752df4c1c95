/**
 * Adds to the sums what has ended since they were last written. Which answers these are is told by snapshots of
 * PostgreSQL: a row belongs to the sums once if it is visible now and was not in the snapshot that is stored with them,
 * and the new snapshot commits with the sums. So a server that is killed counts nothing twice, and a transaction that
 * commits late is counted after it, whatever time its rows have.
 */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { foldValues, type TouchedGroup } from "./fold-values.ts";
import { bucketOf, mergedSums, MINUTE_MS, periods } from "./merge-sums.ts";
import { rolledUntil, rollUp } from "./roll-up.ts";

/** How long before the begin of its transaction an answer may have ended. */
const LATE_MS = 60_000;
/** Rows of billed calls that one transaction takes. */
const TAKEN_AT_ONCE = 10_000;

const minuteMs = sql.raw(String(MINUTE_MS));

/** The database that numbers the transactions: those of a copy are others. */
const origin = sql`(
  select (select system_identifier from pg_control_system()) || '/' || oid
  from pg_database where datname = current_database())`;

// The age is read before the snapshot is taken: what runs at the snapshot is that old at most.
const lockStatement = statement<Record<string, never>, { isSame: boolean; oldestMs: number }>(
  "lock_measures",
  sql`
  select p.origin = ${origin} as "isSame", (
    select coalesce(extract(epoch from clock_timestamp() - min(a.xact_start)) * 1000, 0)::float8
    from pg_stat_activity a where a.datname = current_database()
  ) as "oldestMs"
  from measure_positions p where p.name = 'answers' for update skip locked`,
);

const scanFrom = sql`${sql.placeholder("now")}::bigint - ${sql.raw(String(LATE_MS))}`;

// Nothing before the first position is counted. It waits for no lock of an existing one.
const beginStatement = statement<{ now: number }>(
  "begin_measures",
  sql`
  insert into measure_positions (name, origin, snapshot, scan_from)
  values ('answers', ${origin}, pg_current_snapshot()::text, ${scanFrom}),
    ('rolled', '', '', ${scanFrom} - ${scanFrom} % ${minuteMs})
  on conflict (name) do nothing`,
);

const beginAgainStatement = statement<{ now: number }>(
  "begin_measures_again",
  sql`
  update measure_positions set origin = ${origin}, snapshot = pg_current_snapshot()::text, scan_from = ${scanFrom}
  where name = 'answers'`,
);

// The number of the transaction that has written a row, with its epoch.
const writtenBy = sql`(
  case when p.epoch + r.xmin::text::bigint >= p.next then p.epoch - 4294967296 else p.epoch end
    + r.xmin::text::bigint)::text::xid8`;

const sumStatement = statement<{ now: number; oldestMs: number }, TouchedGroup>(
  "sum_measures",
  sql`
  with position as materialized (
    select snapshot::pg_snapshot as before, scan_from, ${rolledUntil} as rolled_until, pg_current_snapshot() as after,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
      (pg_snapshot_xmax(pg_current_snapshot())::text::bigint >> 32) << 32 as epoch
    from measure_positions where name = 'answers'
  ),
  ended as materialized (
    select r.workspace_id, r.finished_at - r.finished_at % ${minuteMs} as minute, r.outcome, m.id as message_id,
      a.sid as agent, used.model, r.api_key_id::text as key, r.user_id::text as asker,
      (m.steps -> 0 ->> 'startedAt')::float8 + (m.steps -> 0 ->> 'firstTokenMs')::float8 - r.created_at as first_ms,
      case when r.outcome = 'succeeded' then r.finished_at - r.created_at end as whole_ms
    from position p cross join workspaces w
    cross join lateral (
      select runs.*, runs.xmin from runs
      where runs.workspace_id = w.id and runs.finished_at >= p.scan_from and runs.kind = 'agent_turn'
    ) r
    left join messages m on m.sid = r.log_id
    left join agents a on a.id = m.agent_id
    left join lateral (
      select e.provider_id || '/' || e.model_id as model from usage_entries e
      where e.log_id = r.log_id and e.origin = 'answer' order by e.attempt desc, e.call desc limit 1
    ) used on true
    where not pg_visible_in_snapshot(${writtenBy}, p.before)
  ),
  taken as materialized (
    delete from measure_deltas where id = any(array(
      select id from measure_deltas order by id limit ${sql.raw(String(TAKEN_AT_ONCE))}
    ))
    returning *
  ),
  fact as (
    select e.workspace_id, e.minute, d.dimension, d.value, n.name, n.n::numeric as n
    from ended e
    cross join lateral (values ('all', ''), ('agent', e.agent), ('model', e.model), ('key', e.key), ('user', e.asker))
      d(dimension, value)
    cross join lateral (values ('answers', 1), ('errored', (e.outcome = 'errored')::int),
      ('cancelled', (e.outcome = 'cancelled')::int), ('first:' || (${bucketOf(sql`e.first_ms`)}), 1),
      ('whole:' || (${bucketOf(sql`e.whole_ms`)}), 1)) n(name, n)
    union all
    select e.workspace_id, e.minute, d.dimension, d.value, n.name, n.n
    from ended e join actions x on x.message_id = e.message_id
    cross join lateral (values ('all', ''), ('agent', e.agent), ('key', e.key), ('user', e.asker),
      ('tool', coalesce(x.mcp_server_id, x.function_call_name))) d(dimension, value)
    cross join lateral (values ('toolCalls', 1), ('toolCallsErrored', (x.status = 'errored')::int),
      (case when d.dimension = 'tool' then 'whole:' || (${bucketOf(sql`x.execution_duration_ms`)}) end, 1)) n(name, n)
    union all
    select t.workspace_id, t.minute, d.dimension, d.value, s.name, s.n::numeric
    from taken t
    cross join lateral (values ('all', ''), ('agent', t.agent_id), ('model', t.model), ('key', t.api_key_id::text),
      ('user', t.user_id::text)) d(dimension, value)
    cross join lateral jsonb_each_text(t.sums) s(name, n)
  ),
  by_minute as (
    select workspace_id, minute, dimension, value, name, sum(n) as n from fact
    where n <> 0 and name is not null and (dimension = 'all' or value <> '')
    group by 1, 2, 3, 4, 5
  ),
  placed as (
    select * from by_minute
    union all
    select 0, minute, dimension, value, name, n from by_minute where dimension in ('all', 'model')
    union all
    select 0, minute, 'workspace', workspace_id::text, name, n from by_minute where dimension = 'all'
  ),
  spread as (
    select workspace_id, period, minute - minute % length as starts_at, dimension, value, name, sum(n) as n
    from placed, position, (values ${periods}) p(period, length)
    -- Hours and days have what is late; the other minutes are added to them as they are rolled up.
    where period = 'minute' or minute < rolled_until
    group by 1, 2, 3, 4, 5, 6
  ),
  written as (
    insert into measure_sums as s (workspace_id, period, dimension, starts_at, value, sums)
    select workspace_id, period, dimension, starts_at, value, jsonb_object_agg(name, n)
    from spread group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict on constraint measure_sums_pk do update
      set sums = ${mergedSums(sql`s.sums`, sql`excluded.sums`)}
    returning workspace_id, period, dimension, starts_at
  ),
  moved as (
    update measure_positions set snapshot = position.after::text,
      scan_from = ${scanFrom} - ${sql.placeholder("oldestMs")}::bigint
    from position where name = 'answers'
  )
  select workspace_id as "workspaceId", period, dimension, starts_at as "startsAt"
  from written where dimension <> 'all' group by 1, 2, 3, 4`,
);

/**
 * Adds what has ended, and what was billed, to the sums of its minute, hour and day, each once however many processes do
 * this. Gives false if another process is doing it, or if this is the first time: then nothing is counted yet.
 */
export async function sumMeasures(core: Process): Promise<boolean> {
  return onSlowDatabase(core).database.transaction((db) => addNew(db, core.now()));
}

async function addNew(db: Queryable, now: number): Promise<boolean> {
  const [locked] = await lockStatement.execute(db, {});
  if (locked?.isSame !== true) {
    await (locked === undefined ? beginStatement : beginAgainStatement).execute(db, { now });
    return false;
  }
  const oldestMs = Math.ceil(locked.oldestMs);
  const touched = await sumStatement.execute(db, { now, oldestMs });
  await foldValues(db, [...touched, ...(await rollUp(db, now))]);
  return true;
}
