import { describeProvider } from "../provider.conformance.ts";
import { simulatedProvider } from "../simulated.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import type { ModelService } from "@parley/schema";
import { createServiceProvider, defaultCallLimits } from "./service-provider.ts";

const limits = { ...defaultCallLimits, maxRetries: 0 };
const images = ["image/png", "image/jpeg"];
const documents = [...images, "application/pdf"];
const sounds = [...documents, "audio/wav"];
const services: [ModelService, string, { reasons: boolean; takes: readonly string[] }][] = [
  ["openai", "gpt-5", { reasons: true, takes: documents }],
  ["anthropic", "claude-sonnet-4-5", { reasons: true, takes: documents }],
  ["google_ai_studio", "gemini-2.5-flash", { reasons: true, takes: sounds }],
  ["openai_compatible", "llama", { reasons: true, takes: sounds }],
  ["deepseek", "deepseek-chat", { reasons: true, takes: images }],
  ["fireworks", "accounts/fireworks/models/kimi-k2-instruct", { reasons: true, takes: documents }],
  ["mistral", "mistral-large-latest", { reasons: false, takes: images }],
  ["xai", "grok-4", { reasons: true, takes: images }],
];

for (const [id, modelId, given] of services) {
  const play = async (script: Parameters<Parameters<typeof describeProvider>[1]>[0]) => {
    const apiKey = "sk-fake";
    const service = await startFakeService({ script, apiKey, pieceSize: 4 });
    const baseUrl = `${service.url}/${id}/v1`;
    const provider = createServiceProvider(id, { apiKey, baseUrl }, limits);
    const seen = () =>
      (service.requests.at(-1)?.files ?? []).map(
        ({ contentType, bytes, isOfResult }) =>
          `${contentType} ${bytes.toString()}${isOfResult ? " of a result" : ""}`,
      );
    const received = () => service.requests.at(-1)?.json;
    return { provider, modelId, idle: service.idle, close: service.close, seen, received };
  };
  describeProvider(id, play, { ...given, counts: true });
}

describeProvider(
  "simulated models",
  async () => ({
    provider: simulatedProvider,
    modelId: "simulated-1",
    idle: async () => {},
    close: async () => {},
  }),
  { reasons: true, counts: false, takes: documents },
);
