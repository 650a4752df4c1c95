import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { RunKind } from "./run-kinds.ts";

const wakeSuspended = statement<{ limit: number }, { kind: RunKind }>(
  "wake_suspended_runs",
  sql`
  update runs set status = 'waiting' where log_id in (
    select log_id from runs where status = 'suspended' and run_after <= now()
    order by run_after limit ${sql.placeholder("limit")}::int for update skip locked
  )
  returning kind`,
);

/** Makes suspended runs claimable that have waited long enough, and gives their number. */
export async function wakeSuspendedRuns(core: Process, limit: number): Promise<number> {
  const woken = await wakeSuspended.execute(core.database.db, { limit });
  const kinds = new Set(woken.map(({ kind }) => kind));
  for (const kind of kinds) core.bus.publish([{ topic: "runs", cause: "added", kind }]);
  return woken.length;
}

/** An update that makes the next run claimable of each ordering key whose run (ordering_key, id) has just ended. */
export function wakeNextOf(ended: SQL): SQL {
  return sql`
    update runs set status = 'waiting' from ${ended} ended, lateral (
      select log_id from runs left_over
      where left_over.ordering_key = ended.ordering_key and left_over.id <> ended.id
        and left_over.status <> 'finished'
      order by left_over.id limit 1
    ) next
    where runs.log_id = next.log_id and runs.status = 'queued'`;
}

/**
 * An update that makes the turns claimable which asked for runs (parent_log_id) that have just ended. It takes the
 * locks of those too that are not suspended: who claims or suspends one of them meanwhile sees the end.
 */
export function wakeAskingOf(ended: SQL): SQL {
  return sql`
    update runs set status = case runs.status when 'suspended' then 'waiting' else runs.status end,
      run_after = case runs.status when 'suspended' then now() else runs.run_after end
    from ${ended} answered
    where runs.log_id = answered.parent_log_id and runs.status <> 'finished'`;
}

/**
 * An update that makes the answers claimable that were handed over by turns (sid) which have just ended: after the
 * earlier ones of their ordering key.
 */
export function wakeHandedOverBy(ended: SQL): SQL {
  return sql`
    update runs set run_after = now(), status = case when exists (
        select from runs earlier
        where earlier.ordering_key = runs.ordering_key and earlier.id < runs.id and earlier.status <> 'finished'
          and earlier.log_id <> runs.parent_log_id
      ) then 'queued' else 'waiting' end
    from ${ended} before
    where runs.parent_log_id = before.sid and runs.status = 'suspended' and runs.kind = 'agent_turn'
      and runs.attempt = 0`;
}

// One look into the index for each ordering key, however many runs are queued in it.
const wakeQueued = statement<
  { after: string; limit: number },
  { orderingKey: string; woken: boolean }
>(
  "wake_queued_runs",
  sql`
  with recursive keys (ordering_key, visited) as (
    (select ordering_key, 1 from runs
      where status = 'queued' and ordering_key > ${sql.placeholder("after")} order by ordering_key limit 1)
    union all
    select next.ordering_key, keys.visited + 1 from keys, lateral (
      select ordering_key from runs where status = 'queued' and ordering_key > keys.ordering_key order by ordering_key limit 1
    ) next where keys.visited < ${sql.placeholder("limit")}::int
  ),
  first as (
    select keys.ordering_key, r.log_id, r.status from keys, lateral (
      select log_id, status from runs where ordering_key = keys.ordering_key and status <> 'finished'
      order by id limit 1
    ) r
  ),
  due as (
    select runs.log_id from first join runs on runs.log_id = first.log_id
    where first.status = 'queued' and runs.status = 'queued'
    for update of runs skip locked
  ),
  woken as (update runs set status = 'waiting' from due where runs.log_id = due.log_id returning runs.ordering_key)
  select keys.ordering_key as "orderingKey", woken.ordering_key is not null as woken
  from keys left join woken on woken.ordering_key = keys.ordering_key order by keys.ordering_key`,
);

/**
 * Makes queued runs claimable that are the first of their ordering key, in up to `limit` keys after
 * `after`: those that were queued just when the previous run ended. Gives the key to continue after; ""
 * if there are no more.
 */
export async function wakeQueuedRuns(
  core: Process,
  { after, limit }: { after: string; limit: number },
): Promise<string> {
  const keys = await wakeQueued.execute(core.database.db, { after, limit });
  if (keys.some(({ woken }) => woken)) core.bus.publish([{ topic: "runs", cause: "added" }]);
  return keys.length < limit ? "" : (keys.at(-1)?.orderingKey ?? "");
}
