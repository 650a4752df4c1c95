import type { ModelService } from "@parley/schema";
import {
  createServiceProvider,
  defaultCallLimits,
  type ModelProvider,
  type ServiceAccess,
  simulatedProvider,
} from "@parley/agent";
import type { WorkerSettings } from "./config.ts";

/** The model that makes titles, if there is one. */
export function readTitleModel({ PARLEY_TITLE_MODEL: pair }: WorkerSettings) {
  if (pair === undefined) return undefined;
  // A model's own id may hold slashes; a provider's does not.
  const slash = pair.indexOf("/");
  return { providerId: pair.slice(0, slash), modelId: pair.slice(slash + 1) };
}

/** The model providers of a deployment, by their id. One without an address to call is not there. */
export function createModelProviders(settings: WorkerSettings): Record<string, ModelProvider> {
  const limits = {
    ...defaultCallLimits,
    idleMs: settings.PARLEY_MODEL_IDLE_MS,
    maxRetries: settings.PARLEY_MODEL_RETRIES,
  };
  const services = Object.entries(readAccess(settings)).map(([id, access]) => [
    id,
    createServiceProvider(id as ModelService, access, limits),
  ]);
  return {
    simulated: simulatedProvider,
    noop: simulatedProvider,
    // By the ids of `readAccess`.
    ...(Object.fromEntries(services) as Record<string, ModelProvider>),
  };
}

function readAccess(settings: WorkerSettings): Partial<Record<ModelService, ServiceAccess>> {
  const own = settings.PARLEY_OPENAI_COMPATIBLE_URL;
  return {
    openai: {
      apiKey: settings.PARLEY_OPENAI_API_KEY,
      baseUrl: settings.PARLEY_OPENAI_BASE_URL,
    },
    anthropic: {
      apiKey: settings.PARLEY_ANTHROPIC_API_KEY,
      baseUrl: settings.PARLEY_ANTHROPIC_BASE_URL,
    },
    mistral: {
      apiKey: settings.PARLEY_MISTRAL_API_KEY,
      baseUrl: settings.PARLEY_MISTRAL_BASE_URL,
    },
    google_ai_studio: {
      apiKey: settings.PARLEY_GOOGLE_AI_STUDIO_API_KEY,
      baseUrl: settings.PARLEY_GOOGLE_AI_STUDIO_BASE_URL,
    },
    deepseek: {
      apiKey: settings.PARLEY_DEEPSEEK_API_KEY,
      baseUrl: settings.PARLEY_DEEPSEEK_BASE_URL,
    },
    fireworks: {
      apiKey: settings.PARLEY_FIREWORKS_API_KEY,
      baseUrl: settings.PARLEY_FIREWORKS_BASE_URL,
    },
    xai: {
      apiKey: settings.PARLEY_XAI_API_KEY,
      baseUrl: settings.PARLEY_XAI_BASE_URL,
    },
    ...(own !== undefined && {
      openai_compatible: {
        apiKey: settings.PARLEY_OPENAI_COMPATIBLE_API_KEY,
        baseUrl: own,
        contextTokens: settings.PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS,
      },
    }),
  };
}
