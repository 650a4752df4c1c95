import type { AgentError, FinishReason, ProviderError } from "@parley/schema";
import type { CountFitting } from "./count-tokens.ts";
import type {
  EarlierStep,
  FinishedCall,
  ModelProvider,
  PublishedPrefix,
  StepRequest,
  ToolDefinition,
} from "./provider.ts";
import { runStep, type StepRecord } from "./run-step.ts";
import { type BuiltInTool, type FunctionCall, isFunctionCall, runCalls } from "./tools.ts";

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
export interface TurnRequest extends Omit<StepRequest, "step" | "prefix">, TurnProgress {
  /** Tools that the turn runs itself. */
  readonly tools: readonly BuiltInTool[];
  /** Functions that run elsewhere, while the turn is suspended. */
  readonly functions: readonly ToolDefinition[];
  readonly provider: ModelProvider;
  readonly maxSteps: number;
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
 * the turn continues from there when these have ended.
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
      /** Why the answer ends; null where it failed otherwise, or its agent has used up its steps. */
      readonly finishReason: FinishReason | null;
      /** Of the last step, unless an earlier event has it. */
      readonly record?: StepRecord | undefined;
      /** Error of the provider, for the log. */
      readonly cause?: unknown;
      /** What the provider itself said, for builders and admins only. */
      readonly providerError?: ProviderError | undefined;
    } & TurnState);

/** The output of a turn so far. */
export function summarizeTurn(progress: TurnProgress): TurnState {
  const { finishedSteps, finishedReasoning, prefix } = progress;
  const step = finishedSteps.length;
  const rawContents = [...finishedSteps.map(toRawContent), { step, content: prefix.text }];
  const reasoning = finishedReasoning + prefix.reasoning;
  return {
    step,
    content: rawContents.map((one) => one.content).join(""),
    chainOfThought: reasoning === "" ? null : reasoning,
    rawContents,
  };
}

function reasonOf({ content }: TurnState, stopped: FinishReason | null): FinishReason | null {
  return content.trim() === "" && stopped !== "length" ? "empty" : stopped;
}

function toRawContent({ step, content }: EarlierStep): TurnState["rawContents"][number] {
  return { step, content };
}

/**
 * Runs a turn: step after step until one calls no tool, the provider fails or `maxSteps` is reached. A
 * failure is a value. Throws only when the signal aborts, and errors of tools.
 */
export async function* runTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void, undefined> {
  const { provider, maxSteps } = request;
  let progress: TurnProgress = request;
  const { prefix } = progress;
  if (!provider.canContinue && prefix.text + prefix.reasoning !== "") {
    const message = "The turn was interrupted and cannot continue after its published text";
    const error = { code: "interrupted", message, metadata: null };
    yield { type: "finished", ...summarizeTurn(progress), error, finishReason: null };
    return;
  }
  for (;;) {
    const step = progress.finishedSteps.length;
    if (step >= maxSteps) {
      // An earlier attempt was interrupted after its last step.
      const rawContents = progress.finishedSteps.map(toRawContent);
      const state = { ...summarizeTurn(progress), step: step - 1, rawContents };
      const finishReason = reasonOf(state, null);
      yield { type: "finished", ...state, error: null, finishReason };
      return;
    }
    const {
      prefix: published,
      failure,
      record,
      stopped,
      ...result
    } = yield* runStep(request, progress);
    const state = summarizeTurn({ ...progress, prefix: published });
    if (failure !== null) {
      const { code, message, cause, providerError } = failure;
      const error = { code, message, metadata: null };
      const finishReason = stopped === "content_filter" ? stopped : null;
      yield { type: "finished", ...state, error, finishReason, record, cause, providerError };
      return;
    }
    const calls = await runCalls(result.calls, request);
    if (calls.length > 0) yield { type: "step finished", ...state, calls, record };
    if (calls.some(isFunctionCall)) return;
    if (calls.length === 0 || step + 1 >= maxSteps) {
      const isLast = calls.length === 0;
      const finishReason = reasonOf(state, isLast ? stopped : null);
      yield { type: "finished", ...state, error: null, finishReason, ...(isLast && { record }) };
      return;
    }
    const finishedCalls = calls.flatMap((call) => (isFunctionCall(call) ? [] : { ...call, step }));
    const { replay } = record;
    progress = {
      finishedSteps: [...progress.finishedSteps, { step, content: published.text, replay }],
      finishedReasoning: state.chainOfThought ?? "",
      finishedCalls: [...progress.finishedCalls, ...finishedCalls],
      prefix: { text: "", reasoning: "" },
    };
  }
}
