import { isKnownModel, type Reserved, type SummedUsage } from "@parley/core";
import { Counter, type Registry } from "prom-client";

/** Metrics of what calls of models cost. Their labels are bounded: they name no workspace, and only known models. */
export interface UsageMetrics {
  /** Counts calls once they are in the sums: each once, by whichever worker sums it. */
  billed(usage: SummedUsage): void;
  /** Counts a call that was not sent because of a budget. */
  refused(outcome: Exclude<Reserved["outcome"], "granted" | "none">): void;
}

const NANO = 1_000_000_000;
const other = { providerId: "other", modelId: "other" };

/** Registers the metrics of usage. */
export function createUsageMetrics(registry: Registry): UsageMetrics {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const calls = counter(
    "parley_billed_calls_total",
    "Calls of models in the ledger, summed by this worker. kind: counted, or estimated (the service never said what it counted)",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "origin",
    "kind",
  );
  const tokens = counter(
    "parley_billed_tokens_total",
    "Tokens of these calls. kind: input, of which cached_input and cache_write; output, of which reasoning",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "kind",
  );
  const amount = counter(
    "parley_billed_amount_total",
    "What these calls cost, in units of the currency; those of models without a price are not in it",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "currency",
  );
  const refused = counter(
    "parley_reservations_refused_total",
    "Calls of models that were not sent because of a budget. outcome: busy (other calls have reserved what is left), " +
      "exceeded (it is spent), unpriced (the model has no price)",
    "outcome",
  );
  return {
    billed: (usage) => {
      const { providerId, modelId } = isKnownModel(usage) ? usage : other;
      const labels = { gen_ai_provider_name: providerId, gen_ai_request_model: modelId };
      const { origin, currency, estimatedCalls } = usage;
      if (estimatedCalls > 0) calls.inc({ ...labels, origin, kind: "estimated" }, estimatedCalls);
      const counted = usage.calls - estimatedCalls;
      if (counted > 0) calls.inc({ ...labels, origin, kind: "counted" }, counted);
      tokens.inc({ ...labels, kind: "input" }, usage.inputTokens);
      tokens.inc({ ...labels, kind: "cached_input" }, usage.cachedInputTokens);
      tokens.inc({ ...labels, kind: "cache_write" }, usage.cacheWriteTokens);
      tokens.inc({ ...labels, kind: "output" }, usage.outputTokens);
      tokens.inc({ ...labels, kind: "reasoning" }, usage.reasoningTokens);
      amount.inc({ ...labels, currency }, Number(usage.amount) / NANO);
    },
    refused: (outcome) => refused.inc({ outcome }),
  };
}
