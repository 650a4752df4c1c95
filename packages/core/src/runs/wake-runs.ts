import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Core } from "../context.ts";

const wakeParked = statement<{ limit: number }, { logId: string }>(
  "wake_parked_runs",
  sql`
  update runs set status = 'waiting' where log_id in (
    select log_id from runs where status = 'parked' and run_after <= now()
    order by run_after limit ${sql.placeholder("limit")}::int for update skip locked
  )
  returning log_id as "logId"`,
);

/** Lets parked runs that have waited long enough be claimed; tells how many. */
export async function wakeParkedRuns(core: Core, limit: number): Promise<number> {
  const woken = await wakeParked.execute(core.database.db, { limit });
  if (woken.length > 0) core.bus.publish([{ topic: "runs", cause: "added" }]);
  return woken.length;
}

/** An update that lets the first of each lane be claimed whose runs (lane, id) have just ended. */
export function wakeNextOf(ended: SQL): SQL {
  return sql`
    update runs set status = 'waiting' from ${ended} ended, lateral (
      select log_id from runs left_over
      where left_over.lane = ended.lane and left_over.id <> ended.id
        and left_over.status <> 'finished'
      order by left_over.id limit 1
    ) next
    where runs.log_id = next.log_id and runs.status = 'queued'`;
}

// One look into the index for each lane, however many runs are queued in it.
const wakeQueued = statement<{ after: string; limit: number }, { lane: string; woken: boolean }>(
  "wake_queued_runs",
  sql`
  with recursive lanes (lane, visited) as (
    (select lane, 1 from runs
      where status = 'queued' and lane > ${sql.placeholder("after")} order by lane limit 1)
    union all
    select next.lane, lanes.visited + 1 from lanes, lateral (
      select lane from runs where status = 'queued' and lane > lanes.lane order by lane limit 1
    ) next where lanes.visited < ${sql.placeholder("limit")}::int
  ),
  first as (
    select lanes.lane, r.log_id, r.status from lanes, lateral (
      select log_id, status from runs where lane = lanes.lane and status <> 'finished'
      order by id limit 1
    ) r
  ),
  due as (
    select runs.log_id from first join runs on runs.log_id = first.log_id
    where first.status = 'queued' and runs.status = 'queued'
    for update of runs skip locked
  ),
  woken as (update runs set status = 'waiting' from due where runs.log_id = due.log_id returning runs.lane)
  select lanes.lane, woken.lane is not null as woken
  from lanes left join woken on woken.lane = lanes.lane order by lanes.lane`,
);

/**
 * Lets queued runs be claimed that are the first of their lane, in up to `limit` lanes behind `after`:
 * those that were queued in the moment in which the run before them ended. Gives the lane to go on
 * behind; "" when there are no more.
 */
export async function wakeQueuedRuns(
  core: Core,
  { after, limit }: { after: string; limit: number },
): Promise<string> {
  const lanes = await wakeQueued.execute(core.database.db, { after, limit });
  if (lanes.some(({ woken }) => woken)) core.bus.publish([{ topic: "runs", cause: "added" }]);
  return lanes.length < limit ? "" : (lanes.at(-1)?.lane ?? "");
}
