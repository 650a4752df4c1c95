import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { TokenUsage } from "../token-usage.ts";

/** Tokens of a step that are counted: no model takes or writes as many. */
const MAX_TOKENS = 1_000_000_000;

/**
 * Reads the usage of a call. The AI SDK makes one of what the services report: the input has what they read from
 * their cache or wrote to it, which Anthropic counts apart, and the output has the reasoning, which Google counts
 * apart. Where a service's total says that its reasoning is apart too, the reasoning is added. Counts that cannot be,
 * or that are more than what they are a part of, are left out, and `isReadable` is false.
 */
export function readUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): {
  usage: TokenUsage;
  isReadable: boolean;
} {
  const input = toCount(inputTokens.total);
  const cached = toCount(inputTokens.cacheRead);
  const written = toCount(inputTokens.cacheWrite);
  const reasoning = toCount(outputTokens.reasoning);
  const answered = toCount(outputTokens.total);
  // xAI's chat completions count it so.
  const isApart = reasoning > 0 && raw?.["total_tokens"] === input + answered + reasoning;
  const output = isApart ? answered + reasoning : answered;
  const hasCache = cached + written <= input;
  const hasReasoning = reasoning <= output;
  const { cacheRead, cacheWrite } = inputTokens;
  const given = [inputTokens.total, cacheRead, cacheWrite, outputTokens.total];
  return {
    usage: {
      inputTokens: input,
      outputTokens: output,
      ...(hasCache && cached > 0 && { cachedInputTokens: cached }),
      ...(hasCache && written > 0 && { cacheWriteTokens: written }),
      ...(hasReasoning && reasoning > 0 && { reasoningTokens: reasoning }),
    },
    isReadable: hasCache && hasReasoning && [...given, outputTokens.reasoning].every(isCountable),
  };
}

/** A service's count; 0, which is "not counted", for one that cannot be stored. */
const toCount = (tokens = 0): number => (isCountable(tokens) ? Math.round(tokens) : 0);

const isCountable = (tokens = 0): boolean => tokens >= 0 && tokens <= MAX_TOKENS;
