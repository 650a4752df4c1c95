import type { ModelSelection, SimulatedScript } from "@parley/schema";

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
  /** Whether it stays however long the prompt is. */
  readonly isPinned?: boolean;
}

/** What the interrupted attempt of a step has already published. */
export interface PublishedPrefix {
  readonly text: string;
  readonly reasoning: string;
}

/** A tool as a model hears of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly inputSchema: Record<string, unknown>;
}

/** A finished step as a provider needs it to ask for the next one. */
export interface EarlierStep {
  readonly step: number;
  /** Its text. */
  readonly content: string;
  /** What the provider gave to be shown it again: its own affair, as JSON. */
  readonly replay?: unknown;
}

export interface StepRequest {
  readonly modelId: string;
  readonly temperature: number;
  /** How much the model is to reason, where somebody has said. */
  readonly reasoningEffort?: ModelSelection["reasoningEffort"] | undefined;
  /** Credential of the workspace; the deployment's own is used without one. */
  readonly apiKey?: string | undefined;
  readonly prompt: readonly PromptMessage[];
  /** What the model may call. */
  readonly tools: readonly ToolDefinition[];
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
  /** The stream starts behind this prefix; given only to providers that can continue. */
  readonly prefix: PublishedPrefix;
  /** The W3C trace that the turn is part of: providers over HTTP send it on. */
  readonly traceparent?: string | undefined;
  readonly signal: AbortSignal;
}

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  /** What came of it, where the provider has run it itself. */
  readonly output?: string | undefined;
  /** Whether that output says why the call could not be run. */
  readonly isError?: boolean | undefined;
}

/** A tool call and what came of it. */
export interface FinishedCall extends ToolCall {
  readonly output: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

/** What a model gives, piece by piece. A failure is a value, and the last part. */
export type StepPart =
  | { readonly type: "reasoning" | "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  /** What the step took, as the provider counts it. */
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number }
  /** What the provider wants to be shown of this step when it is asked for the next one. */
  | { readonly type: "replay"; readonly replay: unknown }
  | {
      readonly type: "error";
      readonly code: string;
      readonly message: string;
      /** What only the log is told. */
      readonly cause?: unknown;
    };

/** Streams the steps of a turn from a model. */
export interface ModelProvider {
  /** Whether a step can go on behind a prefix that was already published. */
  readonly canContinue: boolean;
  /** Whether the tokens of its prompts are counted: what is simulated has no tokenizer. */
  readonly countsTokens: boolean;
  /** Context of those of its models that nobody knows. */
  readonly contextTokens?: number | undefined;
  streamStep(request: StepRequest): AsyncIterable<StepPart>;
}
