import { type Queryable, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { type Core, inTransaction } from "../context.ts";

// A transaction is bounded by its logs and their events; a log of more events than that is alone in
// its transactions, and trimmed piece by piece.
const MAX_LOGS = 50;
const MAX_EVENTS = 1000;

/** How long after it was closed a log is trimmed. */
export interface Retention {
  readonly retentionMs: number;
}

interface ClosedLog {
  readonly id: string;
  readonly lastSeq: number;
  /** Number of the event behind which there is still something to trim. */
  readonly trimAfter: number;
}

// Any number of workers trim at once: none waits for another, or for who deletes the log.
const lockStatement = statement<{ ofInvocations: boolean; retentionMs: number }, ClosedLog>(
  "lock_untrimmed_logs",
  sql`
  select id, last_seq as "lastSeq", trim_after as "trimAfter" from logs
  where starts_with(id, 'sfi_') = ${sql.placeholder("ofInvocations")}::boolean
    and closed_at < now() - ${sql.placeholder("retentionMs")}::float * interval '1 millisecond'
    and closed_at is not null and trim_after is not null
  order by closed_at limit ${sql.raw(String(MAX_LOGS))}
  for update skip locked`,
);

/** A statement that trims the next events of these types in each of some logs. */
const trimStatement = (name: string, types: SQL, parts: SQL) =>
  statement<{ logs: string }>(
    name,
    sql`
    with batch as (
      select * from json_to_recordset(${sql.placeholder("logs")}::json)
        as l(id text, "trimAfter" int)
    ),
    taken as (
      select event.* from batch cross join lateral (
        select log_id, seq, payload from events
        where log_id = batch.id and seq > batch."trimAfter" and type in (${types})
        order by log_id, seq limit ${sql.raw(String(MAX_EVENTS))}
      ) event
    ),
    ${parts},
    cut as (
      select log_id, max(seq) as seq from taken
      group by log_id having count(*) = ${sql.raw(String(MAX_EVENTS))}
    )
    update logs set trim_after = case
      when cut.seq is not null then cut.seq
      when batch."trimAfter" > 0 then 0
    end
    from batch left join cut on cut.log_id = batch.id where logs.id = batch.id`,
  );

// Of the tokens that are taken, the first of the text stays, with the text of all. The pieces that a
// long log was cut into become one in another round, so however far that has come, its tokens add up
// to the same text. A payload is what JSON.stringify wrote: a member's name and value as they stand
// are found in no other place, since in a string each quotation mark has a backslash before it.
const compactStatement = trimStatement(
  "compact_message_logs",
  sql`'generation_tokens'`,
  sql`
  parsed as (
    select log_id, seq, payload::json ->> 'text' as text,
      payload::json ->> 'classification' = 'tokens' as is_text
    from taken
  ),
  whole as (
    select log_id, min(seq) as seq, count(*) as count, string_agg(text, '' order by seq) as text
    from parsed where is_text group by log_id
  ),
  compacted as (
    update events set payload = replace(
      payload,
      '"text":' || (payload::json -> 'text')::text,
      '"text":' || to_json(whole.text)::text
    )
    from whole
    where events.log_id = whole.log_id and events.seq = whole.seq and whole.count > 1
  ),
  deleted as (
    delete from events using taken left join whole using (log_id, seq)
    where events.log_id = taken.log_id and events.seq = taken.seq and whole.seq is null
  )`,
);

const invocationStatement = trimStatement(
  "trim_invocation_logs",
  sql`'sandbox_function_invocation_log', 'sandbox_function_invocation_progress'`,
  sql`
  deleted as (
    delete from events using taken
    where events.log_id = taken.log_id and events.seq = taken.seq
  )`,
);

/**
 * Compacts some of the messages' logs that were closed long enough ago: of the tokens, one with the
 * whole text stays in the place of the first. Gives how many logs it found, 0 when all are done.
 */
export async function compactMessageLogs(core: Core, { retentionMs }: Retention): Promise<number> {
  return trim(core, { ofInvocations: false, retentionMs }, compactStatement.execute);
}

/**
 * Takes log and progress out of some of the invocations' logs that were closed long enough ago. Gives
 * how many logs it found, 0 when all are done.
 */
export async function trimInvocationLogs(core: Core, { retentionMs }: Retention): Promise<number> {
  return trim(core, { ofInvocations: true, retentionMs }, invocationStatement.execute);
}

async function trim(
  core: Core,
  which: { ofInvocations: boolean; retentionMs: number },
  execute: (db: Queryable, values: { logs: string }) => Promise<unknown>,
): Promise<number> {
  return inTransaction(core, async ({ db }) => {
    // A statement of its own: the next one sees what others did before they let go of the logs.
    const found = await lockStatement.execute(db, which);
    if (found.length > 0) await execute(db, { logs: JSON.stringify(takeBatch(found)) });
    return found.length;
  });
}

/** The first log, and those behind it as long as there are few events in all of them. */
function takeBatch(found: readonly ClosedLog[]): ClosedLog[] {
  let events = 0;
  return found.filter(
    ({ lastSeq, trimAfter }, index) => (events += lastSeq - trimAfter) <= MAX_EVENTS || index === 0,
  );
}
