import type { ModelProvider, StepPart, StepRequest } from "@parley/agent";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createWorkerMetrics } from "../runs/metrics.ts";
import { createCircuits } from "./circuits.ts";
import { measureProvider, measureProviders } from "./model-providers.ts";

const logger = pino({ level: "silent" });
const text: StepPart = { type: "text", text: "Hello" };
const ofCache = { cachedInputTokens: 8, cacheWriteTokens: 3 };
const usage: StepPart = {
  type: "usage",
  inputTokens: 12,
  outputTokens: 300,
  ...ofCache,
  reasoningTokens: 40,
};
const error: StepPart = { type: "error", code: "a text of the provider's", message: "" };

function request(signal = new AbortController().signal): StepRequest {
  const empty = { prompt: [], tools: [], finishedSteps: [], finishedCalls: [], script: null };
  const prefix = { text: "", reasoning: "" };
  return { modelId: "model-1", temperature: 1, step: 0, prefix, signal, ...empty };
}

/** A provider over a fixed list of parts, then throws what it is given. */
const providerOf = (parts: readonly StepPart[], thrown?: Error): ModelProvider => ({
  canContinue: false,
  countsTokens: false,
  async *streamStep() {
    yield* parts;
    if (thrown !== undefined) throw thrown;
  },
});

async function measure(provider: ModelProvider, asked = request(), take = Infinity) {
  const registry = new Registry();
  const { operations } = createWorkerMetrics(registry, () => []);
  const measured = measureProvider(provider, "openai", { operations, logger });
  const parts: StepPart[] = [];
  try {
    for await (const part of measured.streamStep(asked)) {
      parts.push(part);
      if (parts.length >= take) break;
    }
  } catch {
    // The caller gets the provider's error.
  }
  const metrics = await registry.metrics();
  return { parts, metrics };
}

const labels =
  'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="model-1"';
const count = (errorType: string) =>
  `gen_ai_client_operation_duration_seconds_count{${labels},error_type="${errorType}"} 1`;

describe("a measured provider", () => {
  const aborted = AbortSignal.abort();
  it.each([
    { name: "a step that ends", provider: providerOf([text]), is: "" },
    { name: "a step with an error", provider: providerOf([text, error]), is: "provider_error" },
    { name: "one that throws", provider: providerOf([text], new Error("x")), is: "exception" },
    {
      name: "one that throws after an abort",
      provider: providerOf([text], new Error("x")),
      asked: request(aborted),
      is: "aborted",
    },
    {
      name: "one whose consumer stops early",
      provider: providerOf([text, text]),
      take: 1,
      is: "aborted",
    },
    {
      name: "an error after which the consumer stops",
      provider: providerOf([error]),
      take: 1,
      is: "provider_error",
    },
  ])("counts $name once", async ({ provider, asked, take, is }) => {
    const { metrics } = await measure(provider, asked, take);
    expect(metrics).toContain(count(is));
    expect(metrics.match(/duration_seconds_count/g)).toHaveLength(1);
    expect(metrics).not.toContain("a text of the provider's");
  });

  it("counts usage that cannot be read, and warns of a provider once", async () => {
    const registry = new Registry();
    const { operations } = createWorkerMetrics(registry, () => []);
    const lines: string[] = [];
    const said = pino({}, { write: (line) => void lines.push(line) });
    const unreadable = providerOf([text, { type: "unreadable_usage" }]);
    const providers = measureProviders(
      { openai: unreadable, xai: unreadable },
      { operations, logger: said, circuits: createCircuits(registry) },
    );
    for (const id of ["openai", "openai", "xai"]) {
      // oxlint-disable-next-line no-await-in-loop -- the second finds that the first has warned
      await Array.fromAsync(providers[id]!.streamStep(request()));
    }
    const metrics = await registry.metrics();
    expect(metrics).toContain('parley_unreadable_usage_total{gen_ai_provider_name="openai"} 2');
    expect(metrics).toContain('parley_unreadable_usage_total{gen_ai_provider_name="xai"} 1');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 40, providerId: "openai", modelId: "model-1" },
      { level: 40, providerId: "xai", modelId: "model-1" },
    ]);
  });

  it("passes on every part, and counts the tokens that the provider reports", async () => {
    const { parts, metrics } = await measure(providerOf([text, usage]));
    expect(parts).toEqual([text, usage]);
    const tokens = (type: string) =>
      `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="${type}"}`;
    expect(metrics).toContain(`${tokens("input")} 12`);
    expect(metrics).toContain(`${tokens("output")} 300`);
    const part = (name: string) => `gen_ai_client_inference_usage_${name}_tokens_total{${labels}}`;
    expect(metrics).toContain(`${part("cache_read_input")} 8`);
    expect(metrics).toContain(`${part("cache_write_input")} 3`);
    expect(metrics).toContain(`${part("reasoning_output")} 40`);
  });
});
