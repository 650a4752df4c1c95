import type { AgentError } from "@parley/schema";
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

/** Where a turn stands. */
export interface TurnProgress {
  /** The steps that have finished. */
  readonly finishedSteps: readonly EarlierStep[];
  /** Reasoning of the steps that have finished. */
  readonly finishedReasoning: string;
  /** Tool calls of the steps that have finished. */
  readonly finishedCalls: StepRequest["finishedCalls"];
  /** What the step after those has published. */
  readonly prefix: PublishedPrefix;
}

/** A turn: what it is asked, and where an earlier attempt left off. */
export interface TurnRequest extends Omit<StepRequest, "step" | "prefix">, TurnProgress {
  /** What the turn runs itself. */
  readonly tools: readonly BuiltInTool[];
  /** What is run elsewhere, while the turn waits. */
  readonly functions: readonly ToolDefinition[];
  readonly provider: ModelProvider;
  readonly maxSteps: number;
  /** Tokens of prompt and answer together that the model takes. */
  readonly contextTokens: number;
}

/** What a turn has come to. */
export interface TurnState {
  /** Number of the last step, from 0. */
  readonly step: number;
  /** Text of all steps: what the published tokens add up to. */
  readonly content: string;
  readonly chainOfThought: string | null;
  readonly rawContents: { step: number; content: string }[];
}

/**
 * What happens in a turn, in order. The last event is `finished`, or a `step finished` with calls of
 * functions: the turn goes on from there once these have ended.
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
      /** Of the last step, where one was asked for. */
      readonly record?: StepRecord | undefined;
      /** What the provider threw, for the log. */
      readonly cause?: unknown;
    } & TurnState);

/** Sums up where a turn stands. */
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

function toRawContent({ step, content }: EarlierStep): TurnState["rawContents"][number] {
  return { step, content };
}

/**
 * Runs a turn: step after step until one calls no tool, the provider fails or the steps run out. A
 * failure is a value. Throws only when the signal aborts, and what a tool throws.
 */
export async function* runTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void, undefined> {
  const { provider, maxSteps } = request;
  let progress: TurnProgress = request;
  const { prefix } = progress;
  if (!provider.canContinue && prefix.text + prefix.reasoning !== "") {
    const message = "The turn was interrupted and cannot go on behind what it said";
    const error = { code: "interrupted", message, metadata: null };
    yield { type: "finished", ...summarizeTurn(progress), error };
    return;
  }
  for (;;) {
    const step = progress.finishedSteps.length;
    if (step >= maxSteps) {
      // An earlier attempt was interrupted behind the last step that it had.
      const rawContents = progress.finishedSteps.map(toRawContent);
      const state = { ...summarizeTurn(progress), step: step - 1, rawContents };
      yield { type: "finished", ...state, error: null };
      return;
    }
    const said = yield* runStep(request, progress);
    const state = summarizeTurn({ ...progress, prefix: said.prefix });
    const { record } = said;
    if (said.failure !== null) {
      const { code, message, cause } = said.failure;
      const error = { code, message, metadata: null };
      yield { type: "finished", ...state, error, record, cause };
      return;
    }
    const made = await runCalls(said.calls, request);
    if (made.length > 0) yield { type: "step finished", ...state, calls: made, record };
    if (made.some(isFunctionCall)) return;
    if (made.length === 0 || step + 1 >= maxSteps) {
      yield { type: "finished", ...state, error: null, ...(made.length === 0 && { record }) };
      return;
    }
    const finishedCalls = made.filter((call) => !isFunctionCall(call));
    const { replay } = record;
    progress = {
      finishedSteps: [...progress.finishedSteps, { step, content: said.prefix.text, replay }],
      finishedReasoning: state.chainOfThought ?? "",
      finishedCalls: [
        ...progress.finishedCalls,
        ...finishedCalls.map((call) => ({ ...call, step })),
      ],
      prefix: { text: "", reasoning: "" },
    };
  }
}
