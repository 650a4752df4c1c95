import type { ModelPair } from "@parley/schema";

/** Tokens of a step, as its provider counts them. */
export interface TokenUsage {
  /** All tokens of the prompt, those of the cache included. */
  readonly inputTokens: number;
  /** All tokens that the model wrote, reasoning included. */
  readonly outputTokens: number;
  /** Tokens of the prompt that the provider read from its cache, and that it wrote to it; left out if none. */
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** A model that gave way to another one in a step, and what its calls were billed; no usage if they were not. */
export interface PassedOver extends Partial<TokenUsage> {
  readonly model: ModelPair;
  /** The code of its failure, or `circuit_open` if it was not asked. */
  readonly reason: string;
}

/** The usage of several calls together: a step whose call is repeated is billed for each. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: Record<string, number> = { ...a };
  for (const [name, tokens] of Object.entries(b) as [string, number][]) {
    sum[name] = (sum[name] ?? 0) + tokens;
  }
  // The same members.
  return sum as unknown as TokenUsage;
}
