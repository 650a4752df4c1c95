import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { type EmbeddingService, embeddingServices, modelServices } from "@parley/schema";
import type { ServiceAccess } from "./access.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import type { EmbeddedTexts, EmbeddingFailure, TextsToEmbed } from "./embed-texts.ts";
import { explainError, failure, isRefusedUnbilled } from "./failures.ts";

/** Asks a service for vectors, once. What fails is a value; throws only when the signal aborts. */
export async function requestVectors(
  id: EmbeddingService,
  access: ServiceAccess,
  { modelId, dimensions, texts, timeoutMs, signal, ...given }: TextsToEmbed,
): Promise<EmbeddedTexts | EmbeddingFailure> {
  const apiKey = given.apiKey ?? access.apiKey;
  if (apiKey === undefined && !modelServices[id].isSelfHosted) {
    const missing = new Error(`No credential for ${id}`);
    return { failure: failure("provider_auth_error", { cause: missing }), mayBeBilled: false };
  }
  const timeout = AbortSignal.timeout(timeoutMs);
  const model = await openModel({ id, modelId, apiKey, baseUrl: access.baseUrl });
  try {
    const { embeddings, usage } = await model.doEmbed({
      values: [...texts],
      ...(dimensions !== null && { dimensions }),
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    if (!fit(embeddings, texts.length)) {
      const cause = new Error("The service has not given a vector of numbers for each text");
      const unfit = failure("provider_error", { cause, isRefusal: true });
      return { failure: unfit, mayBeBilled: true };
    }
    return { vectors: embeddings, tokens: usage?.tokens ?? null };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return { failure: failure("timed_out", { isRetryable: true }), mayBeBilled: true };
    }
    return { failure: explainError(error, apiKey), mayBeBilled: !isRefusedUnbilled(error) };
  }
}

/** Whether there is one vector for each text, all of the same length, of numbers that say something. */
function fit(vectors: readonly (readonly number[])[], count: number): boolean {
  const length = vectors[0]?.length ?? 0;
  return (
    vectors.length === count &&
    length > 0 &&
    vectors.every((one) => one.length === length && one.every(Number.isFinite) && one.some(Boolean))
  );
}

// The first call loads the package: a server without vectors loads none.
async function openModel(given: {
  readonly id: EmbeddingService;
  readonly modelId: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}): Promise<EmbeddingModelV4> {
  const { id, modelId, apiKey, baseUrl } = given;
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const fetch = createBoundedFetch({ onUnreadableUsage: () => {} });
  const baseURL = baseUrl ?? embeddingServices[id] ?? "";
  // Without a key, no header is sent.
  const keyed = apiKey === undefined || apiKey === "" ? {} : { apiKey };
  return createOpenAICompatible({ name: id, baseURL, fetch, ...keyed }).embeddingModel(modelId);
}
