/**
 * What the attempts of a run were, written by the statements that begin and end them. A first attempt is written only
 * once it ends: until then the run itself says when it began, so that runs that end with it write no history.
 */
import type { StoredAttempt } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Attempts that a run's history holds; of more, those in the middle are left out. */
export const MAX_HISTORY = 100;

/** A time of the database in milliseconds since the epoch, but none before `least`: a time may be infinite. */
export const toMs = (time: SQL, least = sql`0`): SQL =>
  sql`greatest(extract(epoch from ${time}) * 1000, ${least})::bigint`;

const begun = sql`coalesce(runs.attempts, case when runs.attempt = 1 then jsonb_build_array(
  jsonb_build_object('attempt', 1, 'startedAt', runs.started_at, 'workerId', runs.worker_id))
  else '[]'::jsonb end)`;

const beginning = sql`(history -> -1 ->> 'startedAt')::numeric`;

/** The history of `runs` once its attempt has ended, as a value of an update that ends it; by default now. */
export function endedAttempt(end: NonNullable<StoredAttempt["end"]>, at = sql`now()`): SQL {
  const ended = sql`jsonb_build_object('endedAt', ${toMs(at, beginning)}, 'end', ${sql.raw(`'${end}'`)}::text)`;
  return sql`(
    select case when history = '[]' then history
      else jsonb_set(history, '{-1}', history -> -1 || ${ended}) end
    from (select ${begun} as history) begun)`;
}

const lost = endedAttempt("lost", sql`least(runs.lease_until, now())`);

/**
 * The history of `runs` once another attempt has begun, as a value of the update that claims it. What still had a
 * worker was lost when its lease ended.
 */
export function begunAttempt(workerId: SQL): SQL {
  return sql`case when runs.attempt = 0 or runs.kind not in ('agent_turn', 'invocation', 'compaction')
    then runs.attempts else (
      select case when jsonb_array_length(history) < ${sql.raw(String(MAX_HISTORY))} then history
          else history - ${sql.raw(String(MAX_HISTORY / 2))} end
        || jsonb_build_array(jsonb_build_object('attempt', runs.attempt + 1,
          'dueAt', ${toMs(sql`runs.run_after`)}, 'startedAt', ${toMs(sql`now()`)}, 'workerId', ${workerId}::text))
      from (select case when runs.status = 'running' then ${lost} else ${begun} end as history) begun
    ) end`;
}
