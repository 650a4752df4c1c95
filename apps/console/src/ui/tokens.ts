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
