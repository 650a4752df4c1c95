import { statement } from "@parley/db";
import { EVENT_RETENTION_MS, MAX_KEPT_EVENTS } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

const SWEPT_AT_ONCE = sql.raw("1000");

// Of each trigger the newest stay whole. An older one keeps its key, so that it still happens once.
const sweepStatement = statement<{ before: number; kept: number }, { id: number }>(
  "sweep_trigger_events",
  sql`
  with old as (
    select e.id from trigger_events e
    where e.created_at < ${sql.placeholder("before")}::bigint and e.status <> 'waiting'
    order by e.created_at limit ${SWEPT_AT_ONCE} for update skip locked
  ),
  past as (
    select p.id from triggers t
    cross join lateral (
      select e.id from trigger_events e where e.trigger_id = t.id
      order by e.id desc offset ${sql.placeholder("kept")}::int limit 1
    ) newest
    cross join lateral (
      select e.id from trigger_events e
      where e.trigger_id = t.id and e.id <= newest.id and e.status <> 'waiting'
        and (e.body is not null or e.once_key is null)
      order by e.id limit ${SWEPT_AT_ONCE} for update skip locked
    ) p
    limit ${SWEPT_AT_ONCE}
  ),
  gone as (
    delete from trigger_events e
    where e.id in (select id from old)
      or (e.id in (select id from past) and e.once_key is null)
    returning e.id
  ),
  emptied as (
    update trigger_events e set body = null, headers = null, message = null
    where e.id in (select id from past) and e.once_key is not null and e.id not in (select id from old)
    returning e.id
  )
  select id from gone union all select id from emptied`,
);

/**
 * Deletes what was received more than seven days ago, and of each trigger all but the newest `kept`; of what has a key, that
 * is left. Gives the number of rows it has changed, which is bounded.
 */
export async function sweepTriggerEvents(
  core: Process,
  { kept = MAX_KEPT_EVENTS }: { kept?: number } = {},
): Promise<number> {
  const before = core.now() - EVENT_RETENTION_MS;
  return (await sweepStatement.execute(core.database.db, { before, kept })).length;
}
