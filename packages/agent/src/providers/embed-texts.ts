import type { EmbeddingService } from "@parley/schema";
import type { ServiceAccess } from "./access.ts";
import type { StepFailure } from "./failures.ts";

/** Texts that a model makes vectors of. */
export interface TextsToEmbed {
  readonly modelId: string;
  /** Null for as many as the model gives. */
  readonly dimensions: number | null;
  readonly texts: readonly string[];
  /** The workspace's own credential. */
  readonly apiKey?: string | undefined;
  /** Time for the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A vector for each text, in their order; tokens are null if the service has not counted them. */
export interface EmbeddedTexts {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number | null;
}

/** Why there are no vectors. */
export interface EmbeddingFailure {
  readonly failure: StepFailure;
  /** Whether the service may bill the call all the same. */
  readonly mayBeBilled: boolean;
}

export type EmbedTexts = (given: TextsToEmbed) => Promise<EmbeddedTexts | EmbeddingFailure>;

/**
 * Creates what asks a service for vectors by OpenAI's interface, once for each call. What fails is a value, without the
 * credential; it throws only when the signal aborts.
 */
export function createEmbedTexts(id: EmbeddingService, access: ServiceAccess): EmbedTexts {
  // The first call loads the SDK.
  return async (given) => (await import("./request-vectors.ts")).requestVectors(id, access, given);
}
