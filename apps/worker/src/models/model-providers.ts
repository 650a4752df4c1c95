import {
  createServiceProvider,
  defaultCallLimits,
  type ModelProvider,
  simulatedProvider,
} from "@parley/agent";
import { hostedServices, type ModelService } from "@parley/schema";
import { type ModelSettings, settingsOf } from "./model-settings.ts";

/** The model that writes titles, if there is one. */
export function readTitleModel({ PARLEY_TITLE_MODEL: pair }: ModelSettings) {
  if (pair === undefined) return undefined;
  // A model's own id may contain slashes; a provider's does not.
  const slash = pair.indexOf("/");
  return { providerId: pair.slice(0, slash), modelId: pair.slice(slash + 1) };
}

/** The services for whose models the settings have what a call needs: a key, or the URL of one's own server. */
export function findModelServices(settings: ModelSettings): ModelService[] {
  const hosted = hostedServices.filter((id) => settings[settingsOf(id).apiKey] !== undefined);
  const isOwn = settings.PARLEY_OPENAI_COMPATIBLE_URL !== undefined;
  return isOwn ? [...hosted, "openai_compatible"] : hosted;
}

/** The model providers of a deployment, by their id; `openai_compatible` only with a URL. */
export function createModelProviders(settings: ModelSettings): Record<string, ModelProvider> {
  const limits = {
    ...defaultCallLimits,
    idleMs: settings.PARLEY_MODEL_IDLE_MS,
    maxRetries: settings.PARLEY_MODEL_RETRIES,
  };
  const providers: Record<string, ModelProvider> = {
    simulated: simulatedProvider,
    noop: simulatedProvider,
  };
  for (const service of hostedServices) {
    const names = settingsOf(service);
    const access = { apiKey: settings[names.apiKey], baseUrl: settings[names.baseUrl] };
    providers[service] = createServiceProvider(service, access, limits);
  }
  if (settings.PARLEY_OPENAI_COMPATIBLE_URL !== undefined) {
    const access = {
      apiKey: settings.PARLEY_OPENAI_COMPATIBLE_API_KEY,
      baseUrl: settings.PARLEY_OPENAI_COMPATIBLE_URL,
      contextTokens: settings.PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS,
    };
    providers["openai_compatible"] = createServiceProvider("openai_compatible", access, limits);
  }
  return providers;
}
