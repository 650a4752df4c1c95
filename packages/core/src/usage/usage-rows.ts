/** What readers of usage select: the sums by hour and day, and what is not in them yet, in one snapshot. */
import { type Statement, statement } from "@parley/db";
import type { UsageBucket } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { type SummedFigures, summedFigures } from "./usage-figures.ts";
import { entrySums, HOURS_KEPT_DAYS } from "./sum-usage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Subjects that have rows of their own. */
const SUBJECTS = 20;

const raw = (number: number) => sql.raw(String(number));
const hour = raw(HOUR_MS);
const dayMs = raw(DAY_MS);

/** What to read of the sums. Null filters nothing. */
export interface UsageQuery extends Record<string, unknown> {
  /** Null for all workspaces. */
  workspaceId: number | null;
  startDate: string;
  endDate: string;
  timezone: string;
  groupBy: UsageBucket;
  now: number;
  workspaces: readonly string[] | null;
  agents: readonly string[] | null;
  /** Each as provider/model. */
  models: readonly string[] | null;
  keys: readonly string[] | null;
  users: readonly string[] | null;
  origins: readonly string[] | null;
}

/** Sums of a subject, in a bucket or before the range. */
export interface UsageRow extends SummedFigures {
  readonly timezone: string;
  readonly isBefore: boolean;
  /** Null before the range. */
  readonly date: string | null;
  readonly startsAt: number | null;
  /** Its place among the subjects; null for the others. */
  readonly place: number | null;
  readonly id: string | null;
  readonly name: string | null;
}

/** A subject that usage is divided by: its key in an entry, and its id and name, found by that key. */
interface Subject {
  readonly key: SQL;
  readonly id: SQL;
  readonly name: SQL;
}

const none = sql`null::text`;
const found = (column: SQL, table: SQL, where: SQL) =>
  sql`(select ${column} from ${table} where ${where} limit 1)`;
const itself = (key: SQL): Subject => ({ key, id: sql`key`, name: none });

const ofKey = sql`api_keys o`;
const ofUser = sql`users o`;
const ofWorkspace = sql`workspaces o`;
const isKey = sql`o.id = key::bigint`;
const model = sql`provider_id || '/' || model_id`;

/** The subjects, by their names in a request. */
const subjects = {
  none: { key: sql`''`, id: none, name: none },
  agent: {
    key: sql`agent_id`,
    id: sql`nullif(key, '')`,
    name: found(
      sql`o.name`,
      sql`agents o`,
      sql`o.sid = key and o.workspace_id = ${sql.placeholder("workspaceId")}::bigint and o.is_current`,
    ),
  },
  model: itself(model),
  key: {
    key: sql`api_key_id::text`,
    id: found(sql`o.sid`, ofKey, isKey),
    name: found(sql`o.name`, ofKey, isKey),
  },
  user: {
    key: sql`user_id::text`,
    id: found(sql`o.sid`, ofUser, isKey),
    name: found(
      sql`case when o.removed_at is null then o.full_name else 'Removed user' end`,
      ofUser,
      isKey,
    ),
  },
  origin: itself(sql`origin`),
  workspace: {
    key: sql`workspace_id::text`,
    id: sql`coalesce(${found(sql`o.sid`, ofWorkspace, isKey)}, 'workspace-' || key)`,
    name: sql`coalesce(${found(sql`o.name`, ofWorkspace, isKey)}, 'Deleted workspace')`,
  },
} satisfies Record<string, Subject>;

// The time zone counts if its days begin at whole hours; else, days are those of UTC, whose sums there are for ever.
// Hours are read from a midnight on before which they may be deleted.
const range = sql`
  asked as (
    select ${sql.placeholder("startDate")}::date as first, ${sql.placeholder("endDate")}::date as last,
      ${sql.placeholder("timezone")}::text as zone, ${sql.placeholder("now")}::bigint as now
  ),
  zoned as (
    select first, last, first - (last - first + 1) as previous, now, case
      when extract(epoch from first::timestamp at time zone zone)::bigint % 3600 = 0
        and extract(epoch from (last + 1)::timestamp at time zone zone)::bigint % 3600 = 0 then zone
      else 'UTC'
    end as zone
    from asked
  ),
  range as materialized (
    select *,
      (extract(epoch from previous::timestamp at time zone zone) * 1000)::bigint as since,
      (extract(epoch from (last + 1)::timestamp at time zone zone) * 1000)::bigint as until,
      (extract(epoch from previous) * 1000)::bigint as utc_since,
      (extract(epoch from (last + 1)) * 1000)::bigint as utc_until,
      case
        when zone in ('UTC', 'Etc/UTC') and ${sql.placeholder("groupBy")}::text = 'day' then 9007199254740991
        else now - ${raw(HOURS_KEPT_DAYS)} * ${dayMs}::bigint - now % ${dayMs}
      end as hours_from
    from zoned
  )`;

const dimensions = sql.raw(
  "workspace_id, origin, api_key_id, user_id, agent_id, provider_id, model_id, currency",
);
const sums =
  sql.raw(`calls, unpriced_calls, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens,
  reasoning_tokens, amount, estimated_amount`);

const isOne = (value: SQL, name: string) => sql`(
  ${sql.placeholder(name)}::text[] is null or ${value} = any(${sql.placeholder(name)}::text[]))`;
const isNumberOf = (value: SQL, table: SQL, name: string) => sql`(
  ${sql.placeholder(name)}::text[] is null
  or ${value} in (select o.id from ${table} where o.sid = any(${sql.placeholder(name)}::text[])))`;

const isMeant = sql`${isOne(sql`agent_id`, "agents")} and ${isOne(model, "models")} and ${isOne(sql`origin`, "origins")}
  and ${isNumberOf(sql`api_key_id`, ofKey, "keys")} and ${isNumberOf(sql`user_id`, ofUser, "users")}
  and ${isNumberOf(sql`workspace_id`, ofWorkspace, "workspaces")}`;

/** Entries of the range, and of as many days before it, with the day that they count for. */
const entriesOf = (isOfWorkspace: SQL): SQL => sql`
  part as (
    select starts_at as at, (to_timestamp(starts_at / 1000.0) at time zone zone)::date as day, ${dimensions}, ${sums}
    from range, usage_sums
    where ${isOfWorkspace} and period = 'hour' and starts_at >= greatest(since, hours_from) and starts_at < until
    union all
    select starts_at, (to_timestamp(starts_at / 1000.0) at time zone 'UTC')::date, ${dimensions}, ${sums}
    from range, usage_sums
    where ${isOfWorkspace} and period = 'day' and starts_at >= utc_since and starts_at < least(utc_until, hours_from)
    union all
    select at, (to_timestamp(at / 1000.0) at time zone case when at >= hours_from then zone else 'UTC' end)::date,
      workspace_id, origin, coalesce(api_key_id, 0), coalesce(user_id, 0), agent_id, provider_id, model_id, currency,
      ${entrySums("e")}
    from range, usage_entries e
    where ${isOfWorkspace} and not is_summed and case
      when at >= hours_from then at >= since and at < until else at >= utc_since and at < utc_until end
  )`;

/** The statement that reads usage divided by a subject; those that cost most have rows of their own. */
function usageBy(name: keyof typeof subjects, isOfWorkspace: SQL): Statement<UsageQuery, UsageRow> {
  const subject: Subject = subjects[name];
  return statement<UsageQuery, UsageRow>(
    `read_usage_by_${name}${isOfWorkspace === ofAll ? "_of_server" : ""}`,
    sql`
    with ${range}, ${entriesOf(isOfWorkspace)},
    entry as materialized (
      select day < first as is_before, case when day >= first then day end as day,
        case when day >= first and ${sql.placeholder("groupBy")}::text = 'hour' then at - at % ${hour} end as hour,
        ${subject.key} as key, currency, ${sums}
      from part, range where ${isMeant}
    ),
    placed as (
      select key, row_number() over () as place
      from (
        select key from entry group by key
        order by coalesce(sum(amount) filter (where not is_before), 0) desc,
          coalesce(sum(input_tokens + output_tokens) filter (where not is_before), 0) desc, sum(amount) desc, key
        limit ${raw(SUBJECTS)}
      ) ordered
    ),
    named as materialized (select key, place, ${subject.id} as id, ${subject.name} as name from placed)
    select zone as timezone, is_before as "isBefore", day::text as date,
      coalesce(hour, (extract(epoch from day::timestamp at time zone zone) * 1000)::bigint)::float8 as "startsAt",
      place::float8 as place, id, name, currency, ${summedFigures}
    from range cross join entry left join named using (key)
    group by zone, is_before, day, hour, place, id, name, currency
    order by day, hour, place, currency`,
  );
}

const ofOne = sql`workspace_id = ${sql.placeholder("workspaceId")}::bigint`;
const ofAll = sql`true`;

/** The statements for a workspace, by what divides its usage. */
export const usageOfWorkspace = {
  none: usageBy("none", ofOne),
  agent: usageBy("agent", ofOne),
  model: usageBy("model", ofOne),
  key: usageBy("key", ofOne),
  user: usageBy("user", ofOne),
  origin: usageBy("origin", ofOne),
};

/** The statements for all workspaces. */
export const usageOfServer = {
  none: usageBy("none", ofAll),
  workspace: usageBy("workspace", ofAll),
  model: usageBy("model", ofAll),
  origin: usageBy("origin", ofAll),
};
