/** Sums as rows have them: a number for each name. */
import { BUCKET_FACTOR, MAX_LATENCY_MS, type MeasureFigures, percentile } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { toDecimal } from "../usage/prices.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The lengths of the periods that sums are of. */
export const periodMs = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** Rows (period, length) of these. */
export const periods: SQL = sql.raw(
  Object.entries(periodMs)
    .map(([name, length]) => `('${name}', ${length}::bigint)`)
    .join(", "),
);

/** Two jsonb objects of sums, added. */
export const mergedSums = (one: SQL, other: SQL): SQL => sql`(
  select coalesce(jsonb_object_agg(merged.name, merged.n), '{}') from (
    select part.name, sum(part.n::numeric) as n
    from (
      select * from jsonb_each_text(${one}) union all select * from jsonb_each_text(${other})
    ) part(name, n) group by part.name
  ) merged)`;

/** The bucket of a latency, as `latencyBucket` gives it; null for none. */
export const bucketOf = (ms: SQL): SQL => sql`
  case when ${ms} is not null then ceil(ln(least(greatest(${ms}, 1), ${sql.raw(String(MAX_LATENCY_MS))})::float8)
    / ${sql.raw(String(Math.log(BUCKET_FACTOR)))})::int end`;

/** Sums by name. Amounts are larger than a number of JavaScript holds. */
export type Sums = Map<string, bigint>;

/** Adds what a row has, whose numbers are texts, or takes it away. */
export function addSums(
  sums: Sums,
  row: Iterable<readonly [string, string | bigint]>,
  sign: 1n | -1n = 1n,
): Sums {
  for (const [name, n] of row) sums.set(name, (sums.get(name) ?? 0n) + sign * BigInt(n));
  return sums;
}

/** Sums as callers see them. */
export function figuresOf(sums: Sums): MeasureFigures {
  const count = (name: string) => Number(sums.get(name) ?? 0n);
  const amounts = [...sums].filter(([name, n]) => name.startsWith("amount:") && n !== 0n);
  return {
    answers: count("answers"),
    errored: count("errored"),
    cancelled: count("cancelled"),
    toolCalls: count("toolCalls"),
    toolCallsErrored: count("toolCallsErrored"),
    modelCalls: count("modelCalls"),
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    cachedInputTokens: count("cachedInputTokens"),
    cacheWriteTokens: count("cacheWriteTokens"),
    reasoningTokens: count("reasoningTokens"),
    amounts: amounts
      .map(([name, n]) => ({ currency: name.slice("amount:".length), amount: toDecimal(n) }))
      .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    firstToken: latencyOf(sums, "first:"),
    whole: latencyOf(sums, "whole:"),
  };
}

/** The counts of a histogram by their bucket. */
export function histogramOf(sums: Sums, prefix: "first:" | "whole:"): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [name, n] of sums) {
    if (name.startsWith(prefix) && n > 0n) counts.set(Number(name.slice(prefix.length)), Number(n));
  }
  return counts;
}

function latencyOf(sums: Sums, prefix: "first:" | "whole:"): MeasureFigures["whole"] {
  const counts = histogramOf(sums, prefix);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(counts, share));
  if (p50 == null || p95 == null || p99 == null) return null;
  return { count: counts.values().reduce((sum, count) => sum + count, 0), p50, p95, p99 };
}
