import { type SQL, sql } from "drizzle-orm";

/** What an answer, or several, took. */
export interface Sums {
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly modelDurationMs: number;
  readonly toolCalls: number;
  readonly toolDurationMs: number;
}

/**
 * The calls of `steps`, as a relation with the column `call`: the steps, and of models that gave way in them those
 * that were billed.
 */
const callsOf = (steps: SQL) => sql`(
  select step as call, true as "isStep" from jsonb_array_elements(${steps}) as step
  union all select jsonb_path_query(${steps}, '$[*].passedOver[*] ? (exists(@.inputTokens))'), false)`;

/** The columns of a run that hold the tokens of an answer's `steps`. */
const tokenColumns = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  cached_input_tokens: "cachedInputTokens",
  cache_write_tokens: "cacheWriteTokens",
  reasoning_tokens: "reasoningTokens",
};

/** Assigns them the sums of `tokensOf`, as a part of an update. */
export const setTokens = sql.raw(
  Object.keys(tokenColumns)
    .map((column) => `${column} = used.${column}`)
    .join(", "),
);

/** A relation with the tokens of all `steps` of an answer, for `setTokens`; null if none were counted. */
export function tokensOf(steps: SQL): SQL {
  const sums = Object.entries(tokenColumns).map(([column, member]) =>
    sql.raw(`sum((call ->> '${member}')::float8)::bigint as ${column}`),
  );
  return sql`lateral (select ${sql.join(sums, sql`, `)} from ${callsOf(steps)} as made) as used`;
}

/** The model that an agent message `m` of the version `a` of its agent asks first. */
const ownModel = sql`jsonb_build_object(
  'providerId', coalesce(m.model_selection ->> 'providerId', a.provider_id),
  'modelId', coalesce(m.model_selection ->> 'modelId', a.model_id))`;

/** The model of the last step. */
const lastModel = sql`coalesce(m.steps -> -1 -> 'model', ${ownModel})`;

/** What the model calls of some `steps` took. */
const taken = (steps: SQL, isOfModel: SQL) => sql`
  cross join lateral (
    select (count(*) filter (where "isStep"))::float8 as steps,
      coalesce(sum((call ->> 'inputTokens')::float8), 0) as "inputTokens",
      coalesce(sum((call ->> 'outputTokens')::float8), 0) as "outputTokens",
      coalesce(sum((call ->> 'cachedInputTokens')::float8), 0) as "cachedInputTokens",
      coalesce(sum((call ->> 'cacheWriteTokens')::float8), 0) as "cacheWriteTokens",
      coalesce(sum((call ->> 'reasoningTokens')::float8), 0) as "reasoningTokens",
      coalesce(round(sum((call ->> 'durationMs')::float8)), 0) as "modelDurationMs"
    from ${callsOf(sql`coalesce(${steps}, '[]')`)} as made where ${isOfModel}
  ) as taken`;

/** What they cost, and how many were counted without a price. */
const cost = (steps: SQL, isOfModel: SQL) => sql`
  cross join lateral (
    select sum((call ->> 'amount')::numeric) as amount,
      (count(*) filter (where call ->> 'inputTokens' is not null and not call ? 'amount'))::float8
        as "unpricedCalls"
    from ${callsOf(sql`coalesce(${steps}, '[]')`)} as made where ${isOfModel}
  ) as cost`;

const consumed = (isOfModel: SQL, isOfCall: SQL) => sql`
  ${taken(sql`m.steps`, isOfModel)} ${cost(sql`m.steps`, isOfModel)}
  cross join lateral (
    select count(*)::float8 as "toolCalls",
      coalesce(sum(x.execution_duration_ms), 0)::float8 as "toolDurationMs"
    from actions x where x.message_id = m.id and ${isOfCall}
  ) as called`;

const namesOf = (model: SQL) => sql`
  cross join lateral (
    select ${model} ->> 'providerId' as "providerId", ${model} ->> 'modelId' as "modelId"
  ) as model`;

/**
 * Part of a statement: the columns of `Sums`, and the model that answered last, of each agent message `m` of the
 * version `a` of its agent, from what its steps stored.
 */
export const consumedByAnswer = sql`${consumed(sql`true`, sql`true`)} ${namesOf(lastModel)}`;

/**
 * The same for each model that has answered steps of the message, or was billed for calls that gave way; `part."isLast"` is true for the one that
 * answered last.
 */
export const consumedByModel = sql`
  cross join lateral (
    select distinct coalesce(call -> 'model', ${ownModel}) as pair,
      coalesce(call -> 'model', ${ownModel}) = ${lastModel} as "isLast"
    from ${callsOf(sql`coalesce(nullif(m.steps, '[]'), '[{}]')`)} as made
  ) as part
  ${consumed(
    sql`coalesce(call -> 'model', ${ownModel}) = part.pair`,
    sql`coalesce((
      select done -> 'model' from jsonb_array_elements(coalesce(m.steps, '[]')) as done
      where (done ->> 'step')::int = x.step
    ), ${ownModel}) = part.pair`,
  )}
  ${namesOf(sql`part.pair`)}`;

/**
 * Part of a statement: the columns of `Sums`, and the model, of each summary `s`, also of one that failed or is being
 * written, from what its calls of the model stored.
 */
export const consumedBySummary = sql`
  ${taken(sql`s.steps`, sql`true`)} ${cost(sql`s.steps`, sql`true`)}
  cross join (select 0::float8 as "toolCalls", 0::float8 as "toolDurationMs") as called
  cross join lateral (
    select s.provider_id as "providerId", s.model_id as "modelId"
  ) as model`;

/** The models that answered steps in place of the one that is asked first, each with their number; else null. */
export const answeredByOthers = sql`(
  select json_agg(json_build_object(
    'providerId', other.model ->> 'providerId', 'modelId', other.model ->> 'modelId',
    'steps', other.steps) order by other.first)
  from (
    select step.value -> 'model' as model, count(*) as steps, min(step.ordinality) as first
    from jsonb_array_elements(m.steps) with ordinality as step
    where step.value ? 'model' group by 1
  ) as other)`;

/** Part of a statement: the columns of `Sums` of a group of answers. */
export const summed = sql`
  coalesce(sum(steps), 0) as steps,
  coalesce(sum("inputTokens"), 0) as "inputTokens",
  coalesce(sum("outputTokens"), 0) as "outputTokens",
  coalesce(sum("cachedInputTokens"), 0) as "cachedInputTokens",
  coalesce(sum("cacheWriteTokens"), 0) as "cacheWriteTokens",
  coalesce(sum("reasoningTokens"), 0) as "reasoningTokens",
  coalesce(sum("modelDurationMs"), 0) as "modelDurationMs",
  coalesce(sum("toolCalls"), 0) as "toolCalls",
  coalesce(sum("toolDurationMs"), 0) as "toolDurationMs"`;

/** What an answer, or several, cost. */
export interface CostSums {
  /** In dollars, as a decimal number; null without a call that had a price. */
  readonly amount: string | null;
  readonly unpricedCalls: number;
}

/** Part of a statement: the columns of `CostSums` of one answer. */
export const costOfOne = sql`trim_scale(cost.amount)::text as amount, cost."unpricedCalls"`;

/** Part of a statement: the same of a group of answers. */
export const costOfGroup = sql`
  trim_scale(sum(amount))::text as amount, coalesce(sum("unpricedCalls"), 0) as "unpricedCalls"`;
