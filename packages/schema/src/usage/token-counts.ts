import * as z from "zod";

/** Tokens that model providers counted, none where they do not. */
export const TokenCounts = z.object({
  inputTokens: z
    .int()
    .describe("Input tokens, cached ones included, if the providers count them")
    .meta({ example: 120 }),
  outputTokens: z
    .int()
    .describe("Output tokens, reasoning included, if the providers count them")
    .meta({ example: 40 }),
  cachedInputTokens: z
    .int()
    .describe("Input tokens that the providers read from their caches")
    .meta({ example: 80 }),
  cacheWriteTokens: z
    .int()
    .describe("Input tokens that they wrote to their caches")
    .meta({ example: 0 }),
  reasoningTokens: z.int().describe("Output tokens of reasoning").meta({ example: 10 }),
});
export type TokenCounts = z.infer<typeof TokenCounts>;
