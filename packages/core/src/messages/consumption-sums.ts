import { type SQL, sql } from "drizzle-orm";

/** What an answer, or several, took. */
export interface Sums {
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly modelDurationMs: number;
  readonly toolCalls: number;
  readonly toolDurationMs: number;
}

/** The columns of a run that hold the tokens of all `steps` of an answer; null if it has none. */
export function tokensOf(steps: SQL) {
  const sumOf = (member: "inputTokens" | "outputTokens") => sql`
    (select sum((step ->> '${sql.raw(member)}')::float8)::bigint from jsonb_array_elements(${steps}) step)`;
  return { inputTokens: sumOf("inputTokens"), outputTokens: sumOf("outputTokens") };
}

/**
 * Part of a statement: the columns of `Sums`, and the model, of each agent message `m` of the version `a` of
 * its agent, from what its steps stored.
 */
export const consumedByAnswer = sql`
  cross join lateral (
    select count(*)::float8 as steps,
      coalesce(sum((step ->> 'inputTokens')::float8), 0) as "inputTokens",
      coalesce(sum((step ->> 'outputTokens')::float8), 0) as "outputTokens",
      coalesce(round(sum((step ->> 'durationMs')::float8)), 0) as "modelDurationMs"
    from jsonb_array_elements(coalesce(m.steps, '[]')) as step
  ) as taken
  cross join lateral (
    select count(*)::float8 as "toolCalls",
      coalesce(sum(x.execution_duration_ms), 0)::float8 as "toolDurationMs"
    from actions x where x.message_id = m.id
  ) as called
  cross join lateral (
    select coalesce(m.model_selection ->> 'providerId', a.provider_id) as "providerId",
      coalesce(m.model_selection ->> 'modelId', a.model_id) as "modelId"
  ) as model`;

/** Part of a statement: the columns of `Sums` of a group of answers. */
export const summed = sql`
  coalesce(sum(steps), 0) as steps,
  coalesce(sum("inputTokens"), 0) as "inputTokens",
  coalesce(sum("outputTokens"), 0) as "outputTokens",
  coalesce(sum("modelDurationMs"), 0) as "modelDurationMs",
  coalesce(sum("toolCalls"), 0) as "toolCalls",
  coalesce(sum("toolDurationMs"), 0) as "toolDurationMs"`;
