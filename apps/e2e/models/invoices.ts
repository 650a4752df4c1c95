import type { TokenUsage } from "@parley/agent";
import { type Price, shippedPriceList } from "@parley/core";
import type { ModelService } from "@parley/schema";

const time = Date.parse("2026-11-27T12:00:00Z");
const shipped = (providerId: string, modelId: string) =>
  shippedPriceList("USD").priceAt({ providerId, modelId }, time)!;
const nano = (dollars: number) => BigInt(Math.round(dollars * 1e9));
/** A price of ours where none is shipped: no kind costs as much as another one. */
const priced = (input: number, cachedInput: number, output: number): Price => ({
  input: nano(input),
  cachedInput: nano(cachedInput),
  cacheWrite: nano(input) * 2n,
  output: nano(output),
});

/** What a service reports of a call, and what that is in tokens and money. */
export interface Invoice {
  readonly service: ModelService;
  readonly modelId: string;
  /** The page whose example it is; of some, that says what each member counts, with numbers of ours. */
  readonly page: string;
  /** The usage of the last event that has one. */
  readonly usage: object;
  /** The usage of Anthropic's first event. */
  readonly first?: object;
  readonly price: Price;
  readonly read: TokenUsage;
  readonly amount: string;
}

/** Examples of all services. Each amount is a sum by hand: tokens of a kind times what a million of them costs. */
export const invoices: readonly Invoice[] = [
  {
    service: "openai",
    modelId: "gpt-5",
    page: "https://platform.openai.com/docs/guides/reasoning",
    usage: {
      input_tokens: 75,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1186,
      output_tokens_details: { reasoning_tokens: 1024 },
      total_tokens: 1261,
    },
    price: shipped("openai", "gpt-5"),
    read: { inputTokens: 75, outputTokens: 1186, reasoningTokens: 1024 },
    // 75 × 1.25 + 1,186 × 10: the reasoning is a part of the output.
    amount: "0.01195375",
  },
  {
    service: "openai",
    modelId: "gpt-5",
    // Its numbers, with the names that responses have.
    page: "https://platform.openai.com/docs/guides/prompt-caching",
    usage: {
      input_tokens: 2006,
      input_tokens_details: { cached_tokens: 1920 },
      output_tokens: 300,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2306,
    },
    price: shipped("openai", "gpt-5"),
    read: { inputTokens: 2006, outputTokens: 300, cachedInputTokens: 1920 },
    // 86 × 1.25 + 1,920 × 0.125 + 300 × 10
    amount: "0.0033475",
  },
  {
    service: "openai",
    modelId: "gpt-6.1-sol",
    // The same call as its prefix is written, which this model is billed for.
    page: "https://platform.openai.com/docs/guides/prompt-caching",
    usage: {
      input_tokens: 2006,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 1920 },
      output_tokens: 300,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2306,
    },
    price: shipped("openai", "gpt-6.1-sol"),
    read: { inputTokens: 2006, outputTokens: 300, cacheWriteTokens: 1920 },
    // 86 × 2 + 1,920 × 2.5 + 300 × 10
    amount: "0.007972",
  },
  {
    service: "anthropic",
    modelId: "claude-opus-4-5",
    page: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    first: {
      cache_creation_input_tokens: 188_086,
      cache_read_input_tokens: 0,
      input_tokens: 21,
      output_tokens: 1,
    },
    usage: { output_tokens: 393 },
    price: shipped("anthropic", "claude-opus-4-5"),
    read: { inputTokens: 188_107, outputTokens: 393, cacheWriteTokens: 188_086 },
    // 21 × 5 + 188,086 × 6.25 + 393 × 25: its input is without what is written.
    amount: "1.1854675",
  },
  {
    service: "anthropic",
    modelId: "claude-opus-4-5",
    page: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    first: {
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 188_086,
      input_tokens: 21,
      output_tokens: 1,
    },
    usage: { output_tokens: 393, output_tokens_details: { thinking_tokens: 200 } },
    price: shipped("anthropic", "claude-opus-4-5"),
    read: {
      inputTokens: 188_107,
      outputTokens: 393,
      cachedInputTokens: 188_086,
      reasoningTokens: 200,
    },
    // 21 × 5 + 188,086 × 0.5 + 393 × 25: the thinking is a part of the output.
    amount: "0.103973",
  },
  {
    service: "anthropic",
    modelId: "claude-sonnet-5-5",
    // The counts of the last event are those of the whole message: they replace the first event's.
    page: "https://platform.claude.com/docs/en/build-with-claude/streaming",
    first: {
      input_tokens: 2679,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 3,
    },
    usage: {
      input_tokens: 10_682,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 510,
      server_tool_use: { web_search_requests: 1 },
    },
    price: shipped("anthropic", "claude-sonnet-5-5"),
    read: { inputTokens: 10_682, outputTokens: 510 },
    // 10,682 × 2 + 510 × 10
    amount: "0.026464",
  },
  {
    service: "google_ai_studio",
    modelId: "gemini-3.8-flash",
    page: "https://ai.google.dev/api/generate-content#UsageMetadata",
    usage: {
      promptTokenCount: 27,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 194,
      totalTokenCount: 227,
    },
    price: shipped("google_ai_studio", "gemini-3.8-flash"),
    read: { inputTokens: 27, outputTokens: 200, reasoningTokens: 194 },
    // 27 × 0.75 + (6 + 194) × 3.75: the thoughts are apart from the candidates.
    amount: "0.00077025",
  },
  {
    service: "google_ai_studio",
    modelId: "gemini-4-argon",
    // The prompt has what came from the cache, and not what tools gave: the 100 are ours.
    page: "https://ai.google.dev/api/generate-content#UsageMetadata",
    usage: {
      promptTokenCount: 696_219,
      cachedContentTokenCount: 696_190,
      candidatesTokenCount: 214,
      toolUsePromptTokenCount: 100,
      totalTokenCount: 696_533,
    },
    price: shipped("google_ai_studio", "gemini-4-argon"),
    read: { inputTokens: 696_319, outputTokens: 214, cachedInputTokens: 696_190 },
    // (29 + 100) × 2 + 696,190 × 0.1 + 214 × 10
    amount: "0.072017",
  },
  {
    service: "mistral",
    modelId: "mistral-large-latest",
    page: "https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching",
    usage: {
      prompt_tokens: 1536,
      completion_tokens: 120,
      total_tokens: 1656,
      prompt_tokens_details: { cached_tokens: 1472 },
    },
    price: priced(0.5, 0.05, 1.5),
    read: { inputTokens: 1536, outputTokens: 120, cachedInputTokens: 1472 },
    // 64 × 0.5 + 1,472 × 0.05 + 120 × 1.5
    amount: "0.0002856",
  },
  {
    service: "deepseek",
    modelId: "deepseek-v4-pro",
    page: "https://api-docs.deepseek.com/api/create-chat-completion",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 48,
      total_tokens: 58,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 38 },
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 10,
    },
    price: priced(0.4, 0.02, 0.8),
    read: { inputTokens: 10, outputTokens: 48, reasoningTokens: 38 },
    // 10 × 0.4 + 48 × 0.8
    amount: "0.0000424",
  },
  {
    service: "deepseek",
    modelId: "deepseek-v4-pro",
    // The prompt is what hit the cache and what missed it.
    page: "https://api-docs.deepseek.com/guides/kv_cache",
    usage: {
      prompt_tokens: 1100,
      completion_tokens: 50,
      total_tokens: 1150,
      prompt_cache_hit_tokens: 1024,
      prompt_cache_miss_tokens: 76,
    },
    price: priced(0.4, 0.02, 0.8),
    read: { inputTokens: 1100, outputTokens: 50, cachedInputTokens: 1024 },
    // 76 × 0.4 + 1,024 × 0.02 + 50 × 0.8
    amount: "0.00009088",
  },
  {
    service: "fireworks",
    modelId: "accounts/fireworks/models/kimi-k2-instruct",
    page: "https://docs.fireworks.ai/guides/prompt-caching",
    usage: {
      prompt_tokens: 1207,
      completion_tokens: 89,
      total_tokens: 1296,
      prompt_tokens_details: { cached_tokens: 1024 },
    },
    price: priced(0.6, 0.3, 2.5),
    read: { inputTokens: 1207, outputTokens: 89, cachedInputTokens: 1024 },
    // 183 × 0.6 + 1,024 × 0.3 + 89 × 2.5
    amount: "0.0006395",
  },
  {
    service: "xai",
    modelId: "grok-4.7",
    page: "https://docs.x.ai/developers/advanced-api-usage/prompt-caching/usage-and-pricing",
    usage: {
      input_tokens: 125,
      output_tokens: 48,
      total_tokens: 173,
      input_tokens_details: { cached_tokens: 98 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
    price: priced(2, 0.5, 6),
    read: { inputTokens: 125, outputTokens: 48, cachedInputTokens: 98 },
    // 27 × 2 + 98 × 0.5 + 48 × 6
    amount: "0.000391",
  },
  {
    service: "openai_compatible",
    modelId: "llama",
    page: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 100 },
    },
    price: priced(0.3, 0.1, 0.9),
    read: {
      inputTokens: 2006,
      outputTokens: 300,
      cachedInputTokens: 1920,
      reasoningTokens: 100,
    },
    // 86 × 0.3 + 1,920 × 0.1 + 300 × 0.9
    amount: "0.0004878",
  },
  {
    service: "openai_compatible",
    modelId: "grok-3-mini",
    // This interface of xAI counts the reasoning apart from the completion, as the total says: 32 + 9 + 94.
    page: "https://docs.x.ai/docs/api-reference#chat-completions",
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    price: priced(0.3, 0.07, 0.5),
    read: { inputTokens: 32, outputTokens: 103, cachedInputTokens: 6, reasoningTokens: 94 },
    // 26 × 0.3 + 6 × 0.07 + (9 + 94) × 0.5
    amount: "0.00005972",
  },
];
