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

/** A tool as a model hears of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly inputSchema: Record<string, unknown>;
}

export interface StepRequest {
  readonly modelId: string;
  readonly temperature: number;
  readonly prompt: readonly PromptMessage[];
  /** What the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** Calls of the steps before this one, in order. */
  readonly finishedCalls: readonly Pick<FinishedCall, "id" | "name" | "params" | "output">[];
  /** Number of the step, from 0. */
  readonly step: number;
  /** What the simulated provider plays. */
  readonly script: SimulatedScript | null;
  /** The stream starts behind this prefix; given only to providers that can continue. */
  readonly prefix: PublishedPrefix;
  readonly signal: AbortSignal;
}

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  /** What came of it, where the provider has run it itself. */
  readonly output?: string | undefined;
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
  | { readonly type: "error"; readonly code: string; readonly message: string };

/** Streams the steps of a turn from a model. */
export interface ModelProvider {
  /** Whether a step can go on behind a prefix that was already published. */
  readonly canContinue: boolean;
  streamStep(request: StepRequest): AsyncIterable<StepPart>;
}
