/**
 * The sums of the ledger by hour and by day, which reading needs in place of millions of entries. An entry is marked in
 * the statement that adds it: sums and entries that are not marked are the ledger in every snapshot.
 */
import { statement, type UsageOrigin } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** Entries that a statement sums at most. */
const SUMMED_AT_ONCE = 5000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many days sums by hour are kept at least; those by day stay. */
export const HOURS_KEPT_DAYS = 35;
/** Rows that a statement deletes of each table. */
const SWEPT_AT_ONCE = 1000;

/** What calls of a model cost that were summed. */
export interface SummedUsage {
  readonly providerId: string;
  readonly modelId: string;
  readonly origin: UsageOrigin;
  readonly currency: string;
  readonly calls: number;
  readonly estimatedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** In nano-units. */
  readonly amount: bigint;
}

const raw = (number: number) => sql.raw(String(number));

/** The sums of entries, as columns of `usage_sums`, in this order. */
const sumColumns = sql.raw(`calls, unpriced_calls, input_tokens, output_tokens,
  cached_input_tokens, cache_write_tokens, reasoning_tokens, amount, estimated_amount`);

/** What an entry adds to each of `sumColumns`. */
export const entrySums = (entry: "e" | "marked") =>
  sql.raw(`1::bigint as calls, (${entry}.amount is null)::int::bigint as unpriced_calls,
  coalesce(${entry}.input_tokens, 0) as input_tokens, coalesce(${entry}.output_tokens, 0) as output_tokens,
  coalesce(${entry}.cached_input_tokens, 0) as cached_input_tokens,
  coalesce(${entry}.cache_write_tokens, 0) as cache_write_tokens,
  coalesce(${entry}.reasoning_tokens, 0) as reasoning_tokens, coalesce(${entry}.amount, 0) as amount,
  case when ${entry}.is_estimated then coalesce(${entry}.amount, 0) else 0 end as estimated_amount`);

// Rows of sums are locked in the order of their primary key: two workers that sum wait for each other, and never in a
// circle.
const sumStatement = statement<
  Record<string, never>,
  Omit<SummedUsage, "amount"> & { amount: string }
>(
  "sum_usage",
  sql`
  with taken as materialized (
    select id from usage_entries where not is_summed
    order by workspace_id, id limit ${raw(SUMMED_AT_ONCE)} for update skip locked
  ),
  marked as materialized (
    update usage_entries e set is_summed = true from taken where e.id = taken.id returning e.*
  ),
  part as (
    select workspace_id, period, at - at % length as starts_at, origin, coalesce(api_key_id, 0) as api_key_id,
      coalesce(user_id, 0) as user_id, agent_id, provider_id, model_id, currency, ${entrySums("marked")}
    from marked, (values ('hour', ${raw(HOUR_MS)}::bigint), ('day', ${raw(DAY_MS)}::bigint)) as of(period, length)
  ),
  summed as (
    insert into usage_sums as s (workspace_id, period, starts_at, origin, api_key_id, user_id, agent_id, provider_id,
      model_id, currency, ${sumColumns})
    select workspace_id, period, starts_at, origin, api_key_id, user_id, agent_id, provider_id, model_id, currency,
      sum(calls), sum(unpriced_calls), sum(input_tokens), sum(output_tokens), sum(cached_input_tokens),
      sum(cache_write_tokens), sum(reasoning_tokens), sum(amount), sum(estimated_amount)
    from part group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    on conflict on constraint usage_sums_pk do update set
      calls = s.calls + excluded.calls,
      unpriced_calls = s.unpriced_calls + excluded.unpriced_calls,
      input_tokens = s.input_tokens + excluded.input_tokens,
      output_tokens = s.output_tokens + excluded.output_tokens,
      cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
      cache_write_tokens = s.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = s.reasoning_tokens + excluded.reasoning_tokens,
      amount = s.amount + excluded.amount,
      estimated_amount = s.estimated_amount + excluded.estimated_amount
  ),
  -- The sums of measures take these later, so that two statements never lock their rows in another order.
  delta as (
    insert into measure_deltas (workspace_id, minute, api_key_id, user_id, agent_id, model, sums)
    select workspace_id, at - at % 60000, api_key_id, user_id, agent_id, provider_id || '/' || model_id,
      jsonb_build_object('modelCalls', count(*), 'inputTokens', coalesce(sum(input_tokens), 0),
        'outputTokens', coalesce(sum(output_tokens), 0), 'cachedInputTokens', coalesce(sum(cached_input_tokens), 0),
        'cacheWriteTokens', coalesce(sum(cache_write_tokens), 0), 'reasoningTokens', coalesce(sum(reasoning_tokens), 0),
        'amount:' || currency, coalesce(sum(amount), 0))
    from marked group by 1, 2, 3, 4, 5, 6, currency
  )
  select provider_id as "providerId", model_id as "modelId", origin, currency, count(*)::float8 as calls,
    count(*) filter (where is_estimated)::float8 as "estimatedCalls",
    coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(output_tokens), 0)::float8 as "outputTokens",
    coalesce(sum(cached_input_tokens), 0)::float8 as "cachedInputTokens",
    coalesce(sum(cache_write_tokens), 0)::float8 as "cacheWriteTokens",
    coalesce(sum(reasoning_tokens), 0)::float8 as "reasoningTokens", coalesce(sum(amount), 0)::text as amount
  from marked group by 1, 2, 3, 4`,
);

/**
 * Adds entries of the ledger that no sum has to the sums of their hours and days, each once however many processes do
 * this. Gives what was added, by model; nothing once all are summed.
 */
export async function sumUsage({ database }: Pick<Process, "database">): Promise<SummedUsage[]> {
  const rows = await sumStatement.execute(database.db, {});
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

const keptMs = HOURS_KEPT_DAYS * DAY_MS;

// Readers take hours from the day on that many days ago; a day more is kept for those whose clock is late.
const sweepStatement = statement<{ entriesBefore: number; now: number }, { rows: number }>(
  "sweep_usage",
  sql`
  with entry as (
    delete from usage_entries where id in (
      select id from usage_entries where at < ${sql.placeholder("entriesBefore")}::bigint and is_summed
      limit ${raw(SWEPT_AT_ONCE)} for update skip locked
    )
    returning 1
  ),
  hour as (
    delete from usage_sums where ctid = any(array(
      select ctid from usage_sums
      where period = 'hour' and starts_at < ${sql.placeholder("now")}::bigint - ${raw(keptMs + DAY_MS)}::bigint
      order by starts_at limit ${raw(SWEPT_AT_ONCE)} for update skip locked
    ))
    returning 1
  ),
  spending as (
    delete from budget_spending where ctid = any(array(
      select ctid from budget_spending
      where ends_at < ${sql.placeholder("now")}::bigint - ${raw(keptMs)}::bigint
      order by ends_at limit ${raw(SWEPT_AT_ONCE)} for update skip locked
    ))
    returning budget_id, subject, starts_at
  ),
  minute as (
    delete from budget_spending where ctid = any(array(
      select s.ctid from budgets b join budget_spending s on s.budget_id = b.id
      where b.period = 'minute' and s.ends_at < ${sql.placeholder("now")}::bigint - ${raw(HOUR_MS)}::bigint
      limit ${raw(SWEPT_AT_ONCE)} for update of s skip locked
    ))
    returning 1
  ),
  hold as (
    delete from budget_holds h using spending s
    where h.budget_id = s.budget_id and h.subject = s.subject and h.starts_at = s.starts_at
      and h.settled is not null
  )
  select ((select count(*) from entry) + (select count(*) from hour) + (select count(*) from spending)
    + (select count(*) from minute))::int as rows`,
);

/**
 * Deletes entries that are older than their retention and in the sums, sums of old hours, and what was spent of budgets
 * in periods that ended long ago, minutes an hour ago. Gives the number of rows, 0 when all are gone.
 */
export async function sweepUsage(
  { database, now }: Pick<Process, "database" | "now">,
  { retentionMs }: { readonly retentionMs: number },
): Promise<number> {
  const at = now();
  const [swept] = await sweepStatement.execute(database.db, {
    entriesBefore: at - retentionMs,
    now: at,
  });
  return swept?.rows ?? 0;
}
