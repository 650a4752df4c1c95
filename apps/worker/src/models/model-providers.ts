import {
  createServiceProvider,
  defaultCallLimits,
  type ModelProvider,
  simulatedProvider,
  type StepPart,
  type StepRequest,
} from "@parley/agent";
import type { Logger } from "pino";
import type { OperationMetrics } from "../runs/metrics.ts";
import { hostedServices, ModelService } from "@parley/schema";
import { type Circuits, watchProvider } from "./circuits.ts";
import { type ModelSettings, settingsOf } from "./model-settings.ts";

/** Where providers are measured, and warnings about them go. */
interface Measuring {
  readonly operations: OperationMetrics;
  readonly logger: Pick<Logger, "warn">;
  readonly circuits: Circuits;
}

/**
 * Wraps a provider to measure it, under OpenTelemetry's names for generative AI. Warns once of usage that cannot be
 * read; each is counted.
 */
export function measureProvider(
  provider: ModelProvider,
  providerId: string,
  { operations, logger }: Omit<Measuring, "circuits">,
): ModelProvider {
  const { duration, tokens, cached, cacheWritten, reasoning, unreadable } = operations;
  let hasWarned = false;
  async function* streamStep(request: StepRequest): AsyncGenerator<StepPart> {
    const labels = {
      gen_ai_operation_name: "chat",
      gen_ai_provider_name: providerId,
      gen_ai_request_model: request.modelId,
    };
    const startedAt = performance.now();
    // A consumer that stops early has lost its run.
    let errorType = "aborted";
    try {
      let failed = false;
      for await (const part of provider.streamStep(request)) {
        if (part.type === "error") failed = true;
        if (part.type === "usage") {
          tokens.observe({ ...labels, gen_ai_token_type: "input" }, part.inputTokens);
          tokens.observe({ ...labels, gen_ai_token_type: "output" }, part.outputTokens);
          cached.inc(labels, part.cachedInputTokens ?? 0);
          cacheWritten.inc(labels, part.cacheWriteTokens ?? 0);
          reasoning.inc(labels, part.reasoningTokens ?? 0);
        }
        if (part.type === "unreadable_usage") {
          unreadable.inc({ gen_ai_provider_name: providerId });
          const about = { providerId, modelId: request.modelId };
          if (!hasWarned)
            logger.warn(about, "A provider's usage cannot be read: it counts as none");
          hasWarned = true;
        }
        // An error is the last part: the consumer may not ask for another.
        if (failed) errorType = "provider_error";
        yield part;
      }
      if (!failed) errorType = "";
    } catch (error) {
      if (!request.signal.aborted) errorType = "exception";
      throw error;
    } finally {
      duration.observe(
        { ...labels, error_type: errorType },
        (performance.now() - startedAt) / 1000,
      );
    }
  }
  return { ...provider, streamStep };
}

/** Wraps each provider, by its id, to measure it; the outcomes of calls of services are known to the circuits. */
export function measureProviders(
  providers: Readonly<Record<string, ModelProvider>>,
  measuring: Measuring,
): Record<string, ModelProvider> {
  return Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => {
      const isService = ModelService.safeParse(id).success;
      const watched = isService ? watchProvider(provider, id, measuring.circuits) : provider;
      return [id, measureProvider(watched, id, measuring)];
    }),
  );
}

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
      takes: settings.PARLEY_OPENAI_COMPATIBLE_TAKES,
    };
    providers["openai_compatible"] = createServiceProvider("openai_compatible", access, limits);
  }
  return providers;
}
