import type { AgentError, FinishReason, ModelPair, ProviderError } from "@parley/schema";
import type { CountFitting } from "./count-tokens.ts";
import type { OfferedFunction } from "./offered-functions.ts";
import type {
  CallRetry,
  EarlierStep,
  FinishedCall,
  HeldText,
  ModelProvider,
  PublishedPrefix,
  StepRequest,
} from "./provider.ts";
import type { AcceptedAnswer, AnswerFormat } from "./structured-answer.ts";
import type { PassedOver, TokenUsage } from "./token-usage.ts";
import type { BuiltInTool, FunctionCall } from "./tools.ts";

/** The usage of a step, and what its provider needs for the next one. */
export interface StepRecord extends Omit<TokenUsage, "inputTokens" | "outputTokens"> {
  readonly step: number;
  /** As the provider counts them; null if it does not. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly durationMs: number;
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** From then to the first text, reasoning or call; left out if there was none. */
  readonly firstTokenMs?: number;
  /** The model that answered, if it is not the one that the turn asks first. */
  readonly model?: ModelPair;
  /** The models that gave way in the step, in order; left out without any. */
  readonly passedOver?: readonly PassedOver[];
  /** Calls that failed before their first token and were made again, in order; left out without any. */
  readonly retries?: readonly StepRetry[];
  readonly replay?: unknown;
  readonly held?: HeldText | undefined;
}

/** When a call of a step failed, why, and how long the pause before the next one was. */
export interface StepRetry extends CallRetry {
  readonly at: number;
}

/** The progress of a turn. */
export interface TurnProgress {
  readonly finishedSteps: readonly EarlierStep[];
  /** Reasoning of the finished steps. */
  readonly finishedReasoning: string;
  /** Tool calls of the finished steps. */
  readonly finishedCalls: StepRequest["finishedCalls"];
  /** What the step after those has published. */
  readonly prefix: PublishedPrefix;
}

/** A turn, with the progress of an earlier attempt. */
export interface TurnRequest
  extends Omit<StepRequest, "step" | "prefix" | "answerFormat" | "traceparent">, TurnProgress {
  /** W3C trace of a step, which providers over HTTP forward. */
  readonly traceparentOf?: ((step: number) => string) | undefined;
  /** What the answer must be; text by default. */
  readonly answerFormat?: AnswerFormat | undefined;
  /** What the first step must call. */
  readonly toolChoice?: StepRequest["toolChoice"];
  /** Tools that the turn runs itself. */
  readonly tools: readonly BuiltInTool[];
  /** Functions that run elsewhere, while the turn is suspended; those of skills are offered once these are loaded. */
  readonly functions: readonly OfferedFunction[];
  /** Names of the skills that earlier turns have loaded, in order. */
  readonly loadedSkills?: readonly string[] | undefined;
  readonly provider: ModelProvider;
  readonly maxSteps: number;
  /** The clock that dates steps; the system's by default. */
  readonly now?: (() => number) | undefined;
  /** Tokens of prompt and answer together that the model accepts. */
  readonly contextTokens: number;
  /** Counts tokens outside of the event loop. */
  readonly countFitting: CountFitting;
}

/** The output of a turn so far. */
export interface TurnState {
  /** Number of the last step, from 0. */
  readonly step: number;
  /** Text of all steps: what the published tokens add up to. */
  readonly content: string;
  readonly chainOfThought: string | null;
  readonly rawContents: { step: number; content: string }[];
}

/**
 * Events of a turn, in order. The last one is `finished`, or a `step finished` with calls of functions:
 * the turn continues from there when these have ended. A step without calls was an answer in a wrong format.
 */
export type TurnEvent =
  | {
      readonly type: "tokens";
      readonly step: number;
      readonly text: string;
      readonly classification: "tokens" | "chain_of_thought";
    }
  | ({
      readonly type: "step finished";
      readonly calls: readonly (FinishedCall | FunctionCall)[];
      readonly record: StepRecord;
    } & TurnState)
  | ({
      readonly type: "finished";
      readonly error: AgentError | null;
      /** Why the answer ends; null if it failed otherwise, or its agent has used up its steps. */
      readonly finishReason: FinishReason | null;
      /** The answer in its format. */
      readonly answer?: AcceptedAnswer | undefined;
      /** The end of the content, which no `tokens` has: it is to be published with this event. */
      readonly unpublished?: string | undefined;
      /** Of the last step, unless an earlier event has it. */
      readonly record?: StepRecord | undefined;
      /** Error of the provider, for the log. */
      readonly cause?: unknown;
      /** What the provider itself said, for builders and admins only. */
      readonly providerError?: ProviderError | undefined;
    } & TurnState);
