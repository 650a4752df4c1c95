/** What makes vectors. The process that composes the core gives it: core knows no service of models. */
import type { EmbeddingStop } from "@parley/db";
import type { ModelPair } from "@parley/schema";

/** Texts that a model makes vectors of. */
export interface EmbeddingRequest extends ModelPair {
  /** Null for as many as the model gives. */
  readonly dimensions: number | null;
  readonly texts: readonly string[];
  /** The workspace's own credential; without it, the deployment's counts. */
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A vector for each text, in their order; tokens are null if the service has not counted them. */
export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number | null;
}

/** Why there are no vectors, in a sentence without secrets. */
export interface NotEmbedded {
  readonly code: Extract<EmbeddingStop, "credential" | "service"> | "too_long";
  readonly message: string;
  /** Pause that the service asks for. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the service may bill the call all the same. */
  readonly mayBeBilled: boolean;
}

/** Asks a service once. It throws only when the signal aborts. */
export type Embedder = (request: EmbeddingRequest) => Promise<Embedded | NotEmbedded>;

export interface EmbedderServices {
  readonly embed: Embedder;
}

/** The embedder of a process without services of models. */
export const embedsNothing: Embedder = async () => {
  const message = "This process has no service that makes vectors";
  return { code: "service", message, mayBeBilled: false };
};
