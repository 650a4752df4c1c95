/** The rows of an export of every call of a model, a page at a time: of the ledger, and of answers from before it. */
import { hasRow, type Queryable, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { consumedByModel } from "../messages/consumption-sums.ts";

/** Rows of a page. A slow reader keeps the server from reading the next one. */
const PAGE_ROWS = 1000;
/** Answers of a page: each has a row for each of its models. */
const PAGE_ANSWERS = 200;
const DAY_MS = 24 * 3_600_000;

/** A call of a model, or all calls of one model for an answer from before there was a ledger. */
export interface ConsumptionRow {
  readonly timestamp: number;
  readonly origin: string;
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly api_key_id: string | null;
  readonly api_key_name: string | null;
  readonly agent_id: string | null;
  readonly agent_name: string | null;
  readonly provider_id: string;
  readonly model_id: string;
  readonly conversation_id: string | null;
  readonly message_id: string | null;
  readonly step: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Nano-units. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly is_estimated: boolean;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  readonly sources: readonly string[];
  readonly tags: readonly string[];
}

/** What to export. Null filters nothing. */
export interface ConsumptionFilter {
  readonly agents: readonly string[] | null;
  readonly users: readonly string[] | null;
  readonly keys: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly skills: readonly string[] | null;
  readonly sources: readonly string[] | null;
  readonly tags: readonly string[] | null;
}

/** Whose rows, of which time, and which of them. */
export interface ConsumptionRange extends ConsumptionFilter {
  readonly workspaceId: number;
  /** The key of the caller, which may not reach all spaces. */
  readonly apiKeyId: number;
  readonly since: number;
  readonly until: number;
}

const given = (name: keyof ConsumptionRange) => sql.placeholder(name);
const workspaceId = sql`${given("workspaceId")}::bigint`;
const until = sql`${given("until")}::bigint`;
const isAnyOf = (name: keyof ConsumptionFilter, ...values: SQL[]) => sql`(
  ${given(name)}::text[] is null
  or ${sql.join(
    values.map((value) => sql`${value} = any(${given(name)}::text[])`),
    sql` or `,
  )})`;
const hasAnyOf = (name: keyof ConsumptionFilter, list: SQL) => sql`(
  ${given(name)}::text[] is null or coalesce(${list} ?| ${given(name)}::text[], false))`;

// Of what is in a space that the key does not reach, only what it cost is shown.
const isReached = (space: SQL) =>
  sql`(${space} is null or ${hasRow(sql`
  from spaces s where s.id = ${space} and (not s.is_restricted or ${hasRow(sql`
    from api_key_spaces k where k.space_id = s.id and k.api_key_id = ${given("apiKeyId")}::bigint`)})`)})`;

const people = sql`
  u.sid as user_id, case when u.removed_at is null then u.email end as user_email, k.sid as api_key_id,
  k.name as api_key_name`;
const list = (column: SQL) => sql`coalesce(${column}, '[]'::jsonb)`;
const byFilter = sql`
  ${isAnyOf("users", sql`u.sid`, sql`u.email`)} and ${isAnyOf("keys", sql`k.sid`, sql`k.name`)}`;

interface LedgerPlace extends Record<string, unknown>, ConsumptionRange {
  readonly afterAt: number;
  readonly afterId: number;
}

const ledgerStatement = statement<
  LedgerPlace,
  ConsumptionRow & { readonly id: number; readonly isMeant: boolean }
>(
  "export_consumption",
  sql`
  with page as materialized (
    select *, ${isReached(sql`space_id`)} as is_reached from (
      select * from usage_entries
      where workspace_id = ${workspaceId} and at >= ${given("since")}::bigint and at < ${until}
        and (at, id) > (${sql.placeholder("afterAt")}::bigint, ${sql.placeholder("afterId")}::bigint)
      order by at, id limit ${sql.raw(String(PAGE_ROWS))}
    ) next
  )
  select e.id::float8 as id, e.at::float8 as timestamp, e.origin, ${people}, e.agent_id, a.name as agent_name,
    e.provider_id, e.model_id, case when e.is_reached then c.sid end as conversation_id,
    case when e.is_reached and e.origin <> 'summary' then regexp_replace(e.log_id, '^title ', '') end as message_id, e.step,
    e.input_tokens::float8 as input_tokens, e.output_tokens::float8 as output_tokens,
    e.cached_input_tokens::float8 as cached_input_tokens, e.cache_write_tokens::float8 as cache_write_tokens,
    e.reasoning_tokens::float8 as reasoning_tokens, e.amount::text as amount, e.currency, e.is_estimated,
    ${list(sql`case when e.is_reached then e.tools end`)} as tools,
    ${list(sql`case when e.is_reached then e.skills end`)} as skills,
    ${list(sql`case when e.is_reached then e.sources end`)} as sources, ${list(sql`e.tags`)} as tags,
    ${isAnyOf("agents", sql`e.agent_id`)}
      and ${isAnyOf("models", sql`e.model_id`, sql`e.provider_id || '/' || e.model_id`)} and ${byFilter}
      and ${hasAnyOf("tools", sql`case when e.is_reached then e.tools end`)}
      and ${hasAnyOf("skills", sql`case when e.is_reached then e.skills end`)}
      and ${hasAnyOf("sources", sql`case when e.is_reached then e.sources end`)}
      and ${hasAnyOf("tags", sql`e.tags`)} as "isMeant"
  from page e
  left join users u on u.id = e.user_id
  left join api_keys k on k.id = e.api_key_id
  left join agents a on a.sid = e.agent_id and a.workspace_id = e.workspace_id and a.is_current
  left join conversations c on c.id = e.conversation_id
  order by e.at, e.id`,
);

interface AnswerPlace extends Record<string, unknown>, ConsumptionRange {
  readonly afterPosition: number;
  readonly afterRank: number;
  readonly afterVersion: number;
}

interface AnswerRow extends ConsumptionRow {
  readonly position: number;
  readonly rank: number;
  readonly version: number;
  readonly isMeant: boolean;
}

// An answer is from before the ledger if it has no entry, and was created before the first day of the sums had ended,
// which are never deleted: what has no entry later is one whose entries have passed their retention.
const answersStatement = statement<AnswerPlace, AnswerRow>(
  "export_older_consumption",
  sql`
  with ledger as (
    select least(
      ${until}, (select min(starts_at) + ${sql.raw(String(DAY_MS))} from usage_sums
        where workspace_id = ${workspaceId} and period = 'day')
    ) as begun
  ),
  page as materialized (
    select m.*, c.position, c.sid as conversation_sid, c.api_key_id, ${isReached(sql`c.space_id`)} as is_reached
    from ledger, conversations c
    join messages m on m.conversation_id = c.id
    where c.workspace_id = ${workspaceId} and c.created_at < ledger.begun
      and c.updated_at >= ${given("since")}::bigint and c.position >= ${sql.placeholder("afterPosition")}::bigint
      and m.type = 'agent_message' and jsonb_array_length(m.steps) > 0
      and m.created_at >= ${given("since")}::bigint and m.created_at < ledger.begun
      and (c.position, m.rank, m.version) > (${sql.placeholder("afterPosition")}::bigint,
        ${sql.placeholder("afterRank")}::int, ${sql.placeholder("afterVersion")}::int)
      and not exists (select from usage_entries e where e.log_id = m.sid)
    order by c.position, m.rank, m.version limit ${sql.raw(String(PAGE_ANSWERS))}
  )
  select m.position::float8 as position, m.rank, m.version, m.created_at::float8 as timestamp, 'answer' as origin,
    ${people}, a.sid as agent_id, a.name as agent_name, model."providerId" as provider_id,
    model."modelId" as model_id, case when m.is_reached then m.conversation_sid end as conversation_id,
    case when m.is_reached then m.sid end as message_id, null as step, taken."inputTokens" as input_tokens,
    taken."outputTokens" as output_tokens, taken."cachedInputTokens" as cached_input_tokens,
    taken."cacheWriteTokens" as cache_write_tokens, taken."reasoningTokens" as reasoning_tokens, null as amount,
    null as currency, false as is_estimated, ${list(sql`used.tools`)} as tools, '[]'::jsonb as skills,
    '[]'::jsonb as sources, '[]'::jsonb as tags,
    ${isAnyOf("agents", sql`a.sid`)}
      and ${isAnyOf("models", sql`model."modelId"`, sql`model."providerId" || '/' || model."modelId"`)}
      and ${byFilter} and ${hasAnyOf("tools", sql`used.tools`)}
      and ${given("skills")}::text[] is null and ${given("sources")}::text[] is null
      and ${given("tags")}::text[] is null as "isMeant"
  from page m
  join agents a on a.id = m.agent_id
  left join messages asked on asked.sid = m.parent_message_id
  left join users u on u.id = asked.user_id
  left join api_keys k on k.id = m.api_key_id
  cross join lateral (
    select jsonb_agg(distinct x.tool_name) as tools from actions x where x.message_id = m.id and m.is_reached
  ) used
  ${consumedByModel}
  order by m.position, m.rank, m.version, provider_id, model_id`,
);

/** Reads the rows of a range, a page at a time: those of the ledger by time, and then those from before it. */
export async function* readConsumption(
  db: Queryable,
  range: ConsumptionRange,
): AsyncGenerator<readonly ConsumptionRow[], void, undefined> {
  yield* inPages(
    async (last?: ConsumptionRow & { readonly id: number; readonly isMeant: boolean }) =>
      ledgerStatement.execute(db, {
        ...range,
        afterAt: last?.timestamp ?? range.since - 1,
        afterId: last?.id ?? 0,
      }),
  );
  yield* inPages(async (last?: AnswerRow) =>
    answersStatement.execute(db, {
      ...range,
      afterPosition: last?.position ?? -1,
      afterRank: last?.rank ?? -1,
      afterVersion: last?.version ?? -1,
    }),
  );
}

async function* inPages<Row extends ConsumptionRow & { readonly isMeant: boolean }>(
  read: (last?: Row) => Promise<readonly Row[]>,
): AsyncGenerator<readonly ConsumptionRow[], void, undefined> {
  for (let page = await read(); page.length > 0; page = await read(page.at(-1))) {
    yield page.filter(({ isMeant }) => isMeant);
  }
}
