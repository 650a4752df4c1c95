import { type Statement, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { inTransaction, type TransactionContext } from "./transaction.ts";

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
  /** Number of the event after which there is something to trim. */
  readonly trimAfter: number;
}

// Any number of workers trim at once: none waits for another, or for a deletion of the log.
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

/** A statement that trims the next events of these types in each log of a batch. */
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

// Of the tokens in a batch, the first of the text stays, with the text of all. The batches of a long log
// become one in another round, so its tokens always add up to the same text. A payload is what
// JSON.stringify wrote: a member's name and value occur in no other place, since quotation marks in
// strings are escaped.
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
 * Compacts some messages' logs that were closed long enough ago: one token with the whole text replaces
 * the tokens. Gives the number of logs found, 0 when all are done.
 */
export async function compactMessageLogs(
  core: TransactionContext,
  { retentionMs }: Retention,
): Promise<number> {
  return trim(core, { ofInvocations: false, retentionMs }, compactStatement);
}

/**
 * Deletes log and progress events of some invocations' logs that were closed long enough ago. Gives the
 * number of logs found, 0 when all are done.
 */
export async function trimInvocationLogs(
  core: TransactionContext,
  { retentionMs }: Retention,
): Promise<number> {
  return trim(core, { ofInvocations: true, retentionMs }, invocationStatement);
}

async function trim(
  core: TransactionContext,
  which: { ofInvocations: boolean; retentionMs: number },
  trimming: Statement<{ logs: string }, never>,
): Promise<number> {
  return inTransaction(core, async ({ db }) => {
    // A separate statement: the next one sees what others did before they released the logs.
    const found = await lockStatement.execute(db, which);
    if (found.length > 0) await trimming.execute(db, { logs: JSON.stringify(takeBatch(found)) });
    return found.length;
  });
}

/** The first log, and those after it while they have few events together. */
function takeBatch(found: readonly ClosedLog[]): ClosedLog[] {
  let events = 0;
  return found.filter(
    ({ lastSeq, trimAfter }, index) => (events += lastSeq - trimAfter) <= MAX_EVENTS || index === 0,
  );
}
