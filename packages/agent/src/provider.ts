import type {
  Citation,
  FileKind,
  FinishReason,
  ModelPair,
  ModelSelection,
  ProviderError,
  SimulatedScript,
} from "@parley/schema";
import type { FileOpener } from "./prompt-files.ts";
import type { FilePart, PromptMessage } from "./prompt-parts.ts";
import type { SentRequest } from "./providers/sent-request.ts";
import type { PassedOver, TokenUsage } from "./token-usage.ts";

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
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether the service is asked to enforce the schema; its own default without it. */
  readonly strict?: boolean | undefined;
  /** Anthropic's own tool that it is: models of that service were trained on it. */
  readonly anthropic?: "memory_20250818" | undefined;
}

/** Text of a step that nobody was shown. */
export interface HeldText {
  readonly text: string;
  /** Why it was not accepted as the answer, as the model is told; undefined for a step that called tools. */
  readonly fault?: string | undefined;
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
  /** The model that answered, if it is not the one that the turn asks first. */
  readonly model?: ModelPair | undefined;
}

/** What an answer must be, as a provider is told. */
export interface RequestedFormat {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the service is to enforce the schema. */
  readonly isEnforced: boolean;
  /** What the model must be told of it, after its instructions. */
  readonly instruction?: string | undefined;
}

export interface StepRequest {
  readonly modelId: string;
  readonly temperature: number;
  /** How much the model should reason; its default without it. */
  readonly reasoningEffort?: ModelSelection["reasoningEffort"] | undefined;
  /** Credential of the workspace; the deployment's own is used without one. */
  readonly apiKey?: string | undefined;
  /** Whether another model is asked if this one fails: then it is asked again less often. */
  readonly hasFallback?: boolean | undefined;
  /** What requests that begin alike have in common, as an agent and a conversation; services are given a hash of it. */
  readonly cacheScope?: string | undefined;
  readonly prompt: readonly PromptMessage[];
  /** Reads the files of the prompt and of the calls as they are sent; by default each by itself. */
  readonly openFiles?: FileOpener | undefined;
  /** What the model may call. */
  readonly tools: readonly ToolDefinition[];
  /**
   * What the model must call in the first step of the turn: any tool, or one that is offered by its name. It decides itself
   * without it, and in later steps.
   */
  readonly toolChoice?: "required" | { readonly name: string } | undefined;
  /** Whether it may make several calls at once; the service's default without it. */
  readonly parallelToolCalls?: boolean | undefined;
  /** What the answer must be. */
  readonly answerFormat?: RequestedFormat | undefined;
  /** The steps before this one, in order. */
  readonly finishedSteps: readonly EarlierStep[];
  /** Calls of the steps before this one, in order. */
  readonly finishedCalls: readonly (Pick<FinishedCall, "id" | "name" | "params" | "output"> & {
    readonly isError?: boolean | undefined;
    readonly citations?: readonly Citation[] | undefined;
    readonly step: number;
    /** Files of the output that the model is given. */
    readonly files?: readonly FilePart[] | undefined;
  })[];
  /** Position of the answer in its conversation, by which its calls are named where their results are cut. */
  readonly rank?: number | undefined;
  /** Number of the step, from 0. */
  readonly step: number;
  /** What the simulated provider plays. */
  readonly script: SimulatedScript | null;
  /** The stream starts after this prefix; given only to providers that can continue. */
  readonly prefix: PublishedPrefix;
  /** Most tokens that the model may write, reasoning included; its own limit without it. */
  readonly maxOutputTokens?: number | undefined;
  /** Decides whether the calls of the step may be sent, and learns what they were billed. */
  readonly meter?: CallMeter | undefined;
  /** W3C trace of the step, which providers over HTTP forward. */
  readonly traceparent?: string | undefined;
  /** Is told of each request to a service as it is sent, also of those that are repeated. It must not throw. */
  readonly onSent?: ((sent: SentRequest, request: StepRequest) => void) | undefined;
  /** Is told that the service has refused the request: it bills nothing for it. */
  readonly onRefused?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** Decides whether calls of models may be sent, and learns what they were billed. */
export interface CallMeter {
  /** Called before each call, also of one that is repeated. Throws the reason of the request's signal. */
  begin(model: ModelPair, request: StepRequest): Promise<MeteredCall | RefusedCall>;
}

/** A call that may be sent. */
export interface MeteredCall {
  /** Most tokens that the model may write; undefined for its own limit. */
  readonly maxOutputTokens: number | undefined;
  /** Why it has to stop there, if that is less than it might write. */
  readonly cut: RefusedCall | undefined;
  /** Called once the request may have reached the service. */
  sent(): void;
  /** Called with what the service has counted; undefined if that cannot be read. */
  used(usage: TokenUsage | undefined): void;
  /** Called with what a simulated model would have used: only what is reserved for it is settled so. */
  simulated(usage: TokenUsage): void;
  /** Called if the service has refused the request: it bills nothing. */
  refused(): void;
  /** Called at the end, however the call ends. */
  end(): void;
}

/** Why a call may not be sent, or not go on. */
export interface RefusedCall {
  readonly code: string;
  readonly message: string;
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
  /** The parts of documents that the output shows, numbered in the answer. */
  readonly citations?: readonly Citation[] | undefined;
}

/** Why a call of a model is made again, and after how long. */
export interface CallRetry {
  readonly code: string;
  readonly message: string;
  readonly pauseMs: number;
}

/** The output of a model, piece by piece. A failure is a value and the last part. */
export type StepPart =
  | { readonly type: "reasoning" | "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  /** Usage of the step, as the provider counts it. */
  | ({ readonly type: "usage" } & TokenUsage)
  /** The provider counts its tokens, and not as numbers that can be read: they count as none. */
  | { readonly type: "unreadable_usage" }
  /** Why the model stopped; a provider that does not say has stopped by itself. */
  | { readonly type: "finish"; readonly reason: Exclude<FinishReason, "empty"> }
  /** What the provider needs of this step for the next one. */
  | { readonly type: "replay"; readonly replay: unknown }
  /** The following parts are of this model, not of the one that was asked. */
  | { readonly type: "model"; readonly model: ModelPair }
  /** A call has failed before its first token, and is made again after a pause. */
  | ({ readonly type: "retry" } & CallRetry)
  /** A model gave way to another one. */
  | { readonly type: "passed_over"; readonly passedOver: PassedOver }
  | {
      readonly type: "error";
      readonly code: string;
      readonly message: string;
      /** Whether the service is overloaded, down or silent, so that another one may answer instead. */
      readonly isOutage?: boolean | undefined;
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
  /** Kinds of files that those models take as they are; none by default. */
  readonly takes?: readonly FileKind[] | undefined;
  streamStep(request: StepRequest): AsyncIterable<StepPart>;
}
