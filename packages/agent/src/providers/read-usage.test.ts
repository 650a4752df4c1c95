import type { ModelService } from "@parley/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, limits, secret } from "../../testing/called-service.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import type { StepPart } from "../provider.ts";
import type { TokenUsage } from "../token-usage.ts";
import { readUsage } from "./read-usage.ts";
import { createServiceProvider } from "./service-provider.ts";

const counts = { input: 2000, output: 300, cached: 1500, cacheWritten: 100, reasoning: 120 };
const totals = { inputTokens: 2000, outputTokens: 300 };
const cached = { cachedInputTokens: 1500 };
const reasoned = { reasoningTokens: 120 };
const written = { cacheWriteTokens: 100 };

// Writes are counted where they are billed. The AI SDK reads no count of Mistral's reasoning.
const services: [ModelService, string, TokenUsage][] = [
  ["openai", "gpt-5", { ...totals, ...cached, ...written, ...reasoned }],
  ["anthropic", "claude-sonnet-4-5", { ...totals, ...cached, ...written, ...reasoned }],
  ["google_ai_studio", "gemini-2.5-flash", { ...totals, ...cached, ...reasoned }],
  ["openai_compatible", "llama", { ...totals, ...cached, ...reasoned }],
  ["deepseek", "deepseek-chat", { ...totals, ...cached, ...reasoned }],
  ["fireworks", "kimi-k2", { ...totals, ...cached, ...reasoned }],
  ["mistral", "mistral-large-latest", { ...totals, ...cached }],
  ["xai", "grok-4", { ...totals, ...cached, ...reasoned }],
];

async function usageOf(id: ModelService, modelId: string, given: typeof counts) {
  const service = await startFakeService({ apiKey: secret, counts: given });
  onTestFinished(service.close);
  const access = { apiKey: secret, baseUrl: `${service.url}/${id}/v1` };
  const provider = createServiceProvider(id, access, limits);
  const parts = await Array.fromAsync(provider.streamStep(ask({ modelId })));
  const isUsage = ({ type }: StepPart) => type === "usage" || type === "unreadable_usage";
  return parts.filter(isUsage);
}

describe("the usage of a step", () => {
  it.each(services)(
    "is all of the prompt and of the answer, with what the cache had, as %s counts it",
    async (id, modelId, usage) => {
      expect(await usageOf(id, modelId, counts)).toEqual([{ type: "usage", ...usage }]);
    },
  );

  it("has no count of a cache that was not used", async () => {
    const none = { ...counts, cached: 0, cacheWritten: 0, reasoning: 0 };
    expect(await usageOf("anthropic", "claude-sonnet-4-5", none)).toEqual([
      { type: "usage", ...totals },
    ]);
  });

  it("leaves out what is more than all of it, and says that it cannot be read", async () => {
    const odd = { ...counts, cached: 2001, reasoning: 301 };
    expect(await usageOf("openai_compatible", "llama", odd)).toEqual([
      { type: "usage", ...totals },
      { type: "unreadable_usage" },
    ]);
  });

  it.each([
    [-1, 1],
    [1e10, 1],
    [Number.NaN, 1],
    [1, -1],
    [1, Infinity],
  ])("counts %d cached and %d reasoning tokens as none", (cacheRead, reasoning) => {
    const inputTokens = { total: 20, noCache: 0, cacheRead, cacheWrite: undefined };
    const read = readUsage({ inputTokens, outputTokens: { total: 7, text: 0, reasoning } });
    expect(read.isReadable).toBe(false);
    expect(read.usage).toEqual({
      inputTokens: 20,
      outputTokens: 7,
      ...(cacheRead === 1 && { cachedInputTokens: 1 }),
      ...(reasoning === 1 && { reasoningTokens: 1 }),
    });
  });
});
