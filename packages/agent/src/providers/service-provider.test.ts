import { describeProvider } from "../provider.conformance.ts";
import { simulatedProvider } from "../simulated.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import type { ModelService } from "@parley/schema";
import { createServiceProvider, defaultCallLimits } from "./service-provider.ts";

const limits = { ...defaultCallLimits, maxRetries: 0 };
const services: [ModelService, string, { reasons: boolean }][] = [
  ["openai", "gpt-5", { reasons: true }],
  ["anthropic", "claude-sonnet-4-5", { reasons: true }],
  ["google_ai_studio", "gemini-2.5-flash", { reasons: true }],
  ["openai_compatible", "llama", { reasons: true }],
  ["deepseek", "deepseek-chat", { reasons: true }],
  ["fireworks", "accounts/fireworks/models/kimi-k2-instruct", { reasons: true }],
  ["mistral", "mistral-large-latest", { reasons: false }],
  ["xai", "grok-4", { reasons: true }],
];

for (const [id, modelId, { reasons }] of services) {
  const play = async (script: Parameters<Parameters<typeof describeProvider>[1]>[0]) => {
    const apiKey = "sk-fake";
    const service = await startFakeService({ script, apiKey, pieceSize: 4 });
    const baseUrl = `${service.url}/${id}/v1`;
    const provider = createServiceProvider(id, { apiKey, baseUrl }, limits);
    return { provider, modelId, idle: service.idle, close: service.close };
  };
  describeProvider(id, play, { reasons, counts: true });
}

describeProvider(
  "simulated models",
  async () => ({
    provider: simulatedProvider,
    modelId: "simulated-1",
    idle: async () => {},
    close: async () => {},
  }),
  { reasons: true, counts: false },
);
