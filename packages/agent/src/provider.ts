import type { FinishReason, ModelSelection, ProviderError, SimulatedScript } from "@parley/schema";
import type { PromptMessage } from "./prompt-parts.ts";
import type { HeldText } from "./structured-answer.ts";

/** What an interrupted attempt at a step has already published. */
export interface PublishedPrefix {
  readonly text: string;
  readonly reasoning: string;
}

/** A tool as a model is shown it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly inputSchema: Record<string, unknown>;
}

/** A finished step as a provider needs it for the next one. */
export interface EarlierStep {
  readonly step: number;
  /** Its text. */
  readonly content: string;
  /** JSON from the provider that it needs for the next step. */
  readonly replay?: unknown;
  /** What it wrote instead of its text, of an answer in a format. */
  readonly held?: HeldText | undefined;
}

export interface StepRequest {
  readonly modelId: string;
  readonly temperature: number;
  /** How much the model should reason; its default without it. */
  readonly reasoningEffort?: ModelSelection["reasoningEffort"] | undefined;
  /** Credential of the workspace; the deployment's own is used without one. */
  readonly apiKey?: string | undefined;
  readonly prompt: readonly PromptMessage[];
  /** What the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** What the answer must be, and whether the service is to enforce it. */
  readonly answerFormat?:
    | { readonly schema: Readonly<Record<string, unknown>>; readonly isEnforced: boolean }
    | undefined;
  /** The steps before this one, in order. */
  readonly finishedSteps: readonly EarlierStep[];
  /** Calls of the steps before this one, in order. */
  readonly finishedCalls: readonly (Pick<FinishedCall, "id" | "name" | "params" | "output"> & {
    readonly step: number;
  })[];
  /** Number of the step, from 0. */
  readonly step: number;
  /** What the simulated provider plays. */
  readonly script: SimulatedScript | null;
  /** The stream starts after this prefix; given only to providers that can continue. */
  readonly prefix: PublishedPrefix;
  /** W3C trace of the turn, which providers over HTTP forward. */
  readonly traceparent?: string | undefined;
  readonly signal: AbortSignal;
}

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  /** Its output, if the provider has run it itself. */
  readonly output?: string | undefined;
  /** Whether that output says why the call could not be run. */
  readonly isError?: boolean | undefined;
}

/** A tool call with its output. */
export interface FinishedCall extends ToolCall {
  readonly output: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

/** The output of a model, piece by piece. A failure is a value and the last part. */
export type StepPart =
  | { readonly type: "reasoning" | "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  /** Usage of the step, as the provider counts it. */
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number }
  /** The provider counts its tokens, and not as numbers that can be read: they count as none. */
  | { readonly type: "unreadable_usage" }
  /** Why the model stopped; a provider that does not say has stopped by itself. */
  | { readonly type: "finish"; readonly reason: Exclude<FinishReason, "empty"> }
  /** What the provider needs of this step for the next one. */
  | { readonly type: "replay"; readonly replay: unknown }
  | {
      readonly type: "error";
      readonly code: string;
      readonly message: string;
      /** For the log only. */
      readonly cause?: unknown;
      /** What the provider itself said, for builders and admins only. */
      readonly providerError?: ProviderError | undefined;
    };

/** Streams the steps of a turn from a model. */
export interface ModelProvider {
  /** Whether a step can continue after a published prefix. */
  readonly canContinue: boolean;
  /** Whether the tokens of its prompts are counted: simulated models have no tokenizer. */
  readonly countsTokens: boolean;
  /** Context of its models that are not in the catalogue, in tokens. */
  readonly contextTokens?: number | undefined;
  streamStep(request: StepRequest): AsyncIterable<StepPart>;
}
