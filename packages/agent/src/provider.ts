import type { SimulatedScript } from "@parley/schema";

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What the interrupted attempt of a step has already published. */
export interface PublishedPrefix {
  readonly text: string;
  readonly reasoning: string;
}

export interface StepRequest {
  readonly modelId: string;
  readonly temperature: number;
  readonly prompt: readonly PromptMessage[];
  /** Number of the step, from 0. */
  readonly step: number;
  /** What the simulated provider plays. */
  readonly script: SimulatedScript | null;
  /** The stream starts behind this prefix; given only to providers that can continue. */
  readonly prefix: PublishedPrefix;
  readonly signal: AbortSignal;
}

/** A tool call that the provider has run itself. */
export interface ProviderCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly output: string;
}

/** What a model gives, piece by piece. A failure is a value, and the last part. */
export type StepPart =
  | { readonly type: "reasoning" | "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ProviderCall }
  | { readonly type: "error"; readonly code: string; readonly message: string };

/** Streams the steps of a turn from a model. */
export interface ModelProvider {
  /** Whether a step can go on behind a prefix that was already published. */
  readonly canContinue: boolean;
  streamStep(request: StepRequest): AsyncIterable<StepPart>;
}
