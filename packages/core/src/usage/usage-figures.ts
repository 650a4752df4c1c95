/** Sums of calls of models, as statements give them and as callers see them. */
import type { UsageFigures } from "@parley/schema";
import { sql } from "drizzle-orm";
import { toDecimal } from "./prices.ts";

type AmountName = "amount" | "estimatedAmount";

/** A row of a statement that selects `summedFigures`: its amounts are nano-units. */
export type SummedFigures = UsageFigures;

/** The columns of sums, named as in `usage_sums`, summed. */
export const summedFigures =
  sql.raw(`sum(calls)::float8 as calls, sum(unpriced_calls)::float8 as "unpricedCalls",
  sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens",
  sum(cached_input_tokens)::float8 as "cachedInputTokens", sum(cache_write_tokens)::float8 as "cacheWriteTokens",
  sum(reasoning_tokens)::float8 as "reasoningTokens", sum(amount)::text as amount,
  sum(estimated_amount)::text as "estimatedAmount"`);

/** The sum of rows, as callers see it. */
export function figuresOf(rows: readonly SummedFigures[]): Omit<UsageFigures, "currency"> {
  const count = (name: Exclude<keyof UsageFigures, "currency" | AmountName>) =>
    rows.reduce((sum, row) => sum + row[name], 0);
  const amount = (name: AmountName) =>
    toDecimal(rows.reduce((sum, row) => sum + BigInt(row[name]), 0n));
  return {
    calls: count("calls"),
    unpricedCalls: count("unpricedCalls"),
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    cachedInputTokens: count("cachedInputTokens"),
    cacheWriteTokens: count("cacheWriteTokens"),
    reasoningTokens: count("reasoningTokens"),
    amount: amount("amount"),
    estimatedAmount: amount("estimatedAmount"),
  };
}
