import { createEmbedTexts, type EmbedTexts, type ServiceAccess } from "@parley/agent";
import type { Core } from "@parley/core";
import { EmbeddingService } from "@parley/schema";
import { type ModelSettings, settingsOf } from "./model-settings.ts";

/** Creates what asks the services of a deployment's settings for vectors. */
export function createEmbedder(settings: ModelSettings): Core["embed"] {
  const services = new Map<EmbeddingService, EmbedTexts>();
  for (const id of EmbeddingService.options) {
    const access = accessOf(settings, id);
    if (access !== undefined) services.set(id, createEmbedTexts(id, access));
  }
  return async ({ providerId, ...request }) => {
    const service = EmbeddingService.safeParse(providerId);
    const embedTexts = service.success ? services.get(service.data) : undefined;
    if (embedTexts === undefined) {
      const message = `This process has no settings of ${providerId}`;
      return { code: "credential", message, mayBeBilled: false };
    }
    const answer = await embedTexts(request);
    if ("vectors" in answer) return answer;
    const { failure, mayBeBilled } = answer;
    const { code, message, retryAfterMs, providerError } = failure;
    return {
      code: codes[code] ?? "service",
      message: `${message} (${providerId}${providerError === undefined ? "" : `: ${providerError.message.slice(0, MAX_SAID)}`})`,
      retryAfterMs,
      mayBeBilled,
    };
  };
}

/** Characters of what a service said that are shown. */
const MAX_SAID = 200;

const codes: Readonly<Record<string, "credential" | "too_long">> = {
  provider_auth_error: "credential",
  context_too_long: "too_long",
};

function accessOf(settings: ModelSettings, id: EmbeddingService): ServiceAccess | undefined {
  if (id === "openai_compatible") {
    const { PARLEY_OPENAI_COMPATIBLE_URL: baseUrl } = settings;
    return baseUrl === undefined
      ? undefined
      : { apiKey: settings.PARLEY_OPENAI_COMPATIBLE_API_KEY, baseUrl };
  }
  const names = settingsOf(id);
  return { apiKey: settings[names.apiKey], baseUrl: settings[names.baseUrl] };
}
