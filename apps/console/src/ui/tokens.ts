import type { Output } from "parley-client";
import { formatNumber } from "./time.tsx";

type Sums = Output<"conversations.getConsumption">["total"];

const percent = new Intl.NumberFormat(undefined, { style: "percent" });

/** How much of the input came from a provider's cache, as `1,500 (75%)`; a dash without input. */
export function formatCached({
  inputTokens,
  cachedInputTokens,
}: Pick<Sums, "inputTokens" | "cachedInputTokens">): string {
  if (inputTokens === 0) return "–";
  return `${formatNumber(cachedInputTokens)} (${percent.format(cachedInputTokens / inputTokens)})`;
}

/** The tokens of an answer in words: how much of the input was cached, and of the output reasoning. */
export function describeTokens(
  sums: Pick<Sums, "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens">,
): string {
  const { inputTokens, outputTokens, reasoningTokens } = sums;
  const cached = inputTokens === 0 ? "" : `, ${formatCached(sums)} cached`;
  const reasoning = reasoningTokens === 0 ? "" : `, ${formatNumber(reasoningTokens)} of reasoning`;
  const input = `${formatNumber(inputTokens)} input tokens${cached}`;
  return `${input} · ${formatNumber(outputTokens)} output tokens${reasoning}`;
}

/** What it cost, as `$0.0123`, and how many calls had no price; a dash if nothing was counted. */
export function formatCost(cost: Sums["cost"]): string {
  if (cost === undefined) return "–";
  const { amount, currency, unpricedCalls } = cost;
  const options = { style: "currency", currency, maximumFractionDigits: 6 } as const;
  const shown = new Intl.NumberFormat(undefined, options).format(Number(amount));
  if (unpricedCalls === 0) return shown;
  const calls = unpricedCalls === 1 ? "1 call" : `${formatNumber(unpricedCalls)} calls`;
  return amount === "0" ? `No price (${calls})` : `${shown} + ${calls} without a price`;
}
