import type { ModelProvider, StepPart, StepRequest } from "@parley/agent";
import type { OperationMetrics } from "../runs/metrics.ts";

/** Wraps a provider to measure it, under OpenTelemetry's names for generative AI. */
export function measureProvider(
  provider: ModelProvider,
  providerId: string,
  { duration, tokens }: OperationMetrics,
): ModelProvider {
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

/** Wraps each provider, by its id. */
export function measureProviders(
  providers: Readonly<Record<string, ModelProvider>>,
  operations: OperationMetrics,
): Record<string, ModelProvider> {
  return Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => [
      id,
      measureProvider(provider, id, operations),
    ]),
  );
}
