import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelService } from "@parley/schema";
import type { ServiceAccess } from "./access.ts";
import { createBoundedFetch, type FetchListener } from "./bounded-fetch.ts";

interface Settings {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly fetch: typeof fetch;
}

type Open = (settings: Settings, modelId: string) => Promise<LanguageModelV4>;

// The first call of a service loads its package: a server of simulated models loads none.
const openers: Readonly<Record<ModelService, Open>> = {
  openai: async (settings, modelId) =>
    (await import("@ai-sdk/openai")).createOpenAI(settings).responses(modelId),
  anthropic: async (settings, modelId) =>
    (await import("@ai-sdk/anthropic")).createAnthropic(settings).languageModel(modelId),
  mistral: async (settings, modelId) =>
    (await import("@ai-sdk/mistral")).createMistral(settings).languageModel(modelId),
  google_ai_studio: async (settings, modelId) =>
    (await import("@ai-sdk/google")).createGoogle(settings).languageModel(modelId),
  deepseek: async (settings, modelId) =>
    (await import("@ai-sdk/deepseek")).createDeepSeek(settings).languageModel(modelId),
  fireworks: async (settings, modelId) =>
    (await import("@ai-sdk/fireworks")).createFireworks(settings).languageModel(modelId),
  xai: async (settings, modelId) =>
    (await import("@ai-sdk/xai")).createXai(settings).languageModel(modelId),
  openai_compatible: async ({ apiKey, baseURL = "", fetch }, modelId) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const settings = { name: "openai_compatible", baseURL, fetch, includeUsage: true };
    // Without a key, no header is sent.
    const keyed = apiKey === "" ? settings : { ...settings, apiKey };
    return createOpenAICompatible(keyed).languageModel(modelId);
  },
};

/** Opens a model of a service. */
export async function openModel(
  serviceId: ModelService,
  modelId: string,
  { apiKey = "", baseUrl, ...listener }: Pick<ServiceAccess, "apiKey" | "baseUrl"> & FetchListener,
): Promise<LanguageModelV4> {
  const baseURL = baseUrl === undefined ? {} : { baseURL: baseUrl };
  const fetch = createBoundedFetch(listener);
  return openers[serviceId]({ apiKey, fetch, ...baseURL }, modelId);
}
