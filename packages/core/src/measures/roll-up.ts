import { type Queryable, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { TouchedGroup } from "./fold-values.ts";
import { DAY_MS, mergedSums, MINUTE_MS, periods } from "./merge-sums.ts";

/** Minutes that are rolled up at once at least, so that hours and days are seldom written. */
const ROLLED_AT_ONCE_MS = 5 * MINUTE_MS;
/** How long after its end a minute is rolled up; what comes later is added to its hour at once. */
const SETTLED_MS = 2 * MINUTE_MS;

/** When the first minute began that hours and days do not have, as a subquery. */
export const rolledUntil: SQL = sql`
  (select coalesce(max(scan_from), 0) from measure_positions where name = 'rolled')`;

const now = sql`${sql.placeholder("now")}::bigint`;
const raw = (number: number) => sql.raw(String(number));

const rollStatement = statement<{ now: number }, TouchedGroup>(
  "roll_up_measures",
  sql`
  with position as materialized (
    select scan_from as since, ${now} - ${now} % ${raw(MINUTE_MS)} - ${raw(SETTLED_MS)} as settled
    from measure_positions where name = 'rolled'
  ),
  -- After a long time without, one day at once.
  span as materialized (
    select since, least(settled, first.minute - first.minute % ${raw(DAY_MS)} + ${raw(DAY_MS)}) as until
    from position left join lateral (
      select min(starts_at) as minute from measure_sums
      where period = 'minute' and dimension = 'all' and starts_at >= position.since
    ) first on true
  ),
  due as materialized (select * from span where until - since >= ${raw(ROLLED_AT_ONCE_MS)}),
  part as (
    select m.workspace_id, p.period, m.dimension, m.starts_at - m.starts_at % p.length as starts_at, m.value, one.name,
      sum(one.n::numeric) as n
    from due cross join measure_sums m cross join (values ${periods}) p(period, length)
    cross join lateral jsonb_each_text(m.sums) one(name, n)
    where m.period = 'minute' and p.period <> 'minute'
      and m.dimension = any(array['all', 'agent', 'model', 'tool', 'key', 'user', 'workspace'])
      and m.starts_at >= due.since and m.starts_at < due.until
    group by 1, 2, 3, 4, 5, 6
  ),
  written as (
    insert into measure_sums as s (workspace_id, period, dimension, starts_at, value, sums)
    select workspace_id, period, dimension, starts_at, value, jsonb_object_agg(name, n)
    from part group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict on constraint measure_sums_pk do update
      set sums = ${mergedSums(sql`s.sums`, sql`excluded.sums`)}
    returning workspace_id, period, dimension, starts_at
  ),
  moved as (
    update measure_positions set scan_from = due.until from due where name = 'rolled'
  )
  select workspace_id as "workspaceId", period, dimension, starts_at as "startsAt"
  from written where dimension <> 'all' group by 1, 2, 3, 4`,
);

/**
 * Adds the minutes that are over to their hours and days, once some are due; the transaction holds the position of the
 * sums. Gives the groups that it has written.
 */
export async function rollUp(db: Queryable, at: number): Promise<TouchedGroup[]> {
  return rollStatement.execute(db, { now: at });
}
