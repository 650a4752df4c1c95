import { type AgentError, toStorable } from "@parley/schema";
import type {
  FinishedCall,
  ModelProvider,
  PublishedPrefix,
  StepRequest,
  ToolCall,
} from "./provider.ts";
import { type BuiltInTool, runCalls } from "./tools.ts";

/** Where a turn stands. */
export interface TurnProgress {
  /** Text of the steps that have finished. */
  readonly finishedSteps: readonly { step: number; content: string }[];
  /** Reasoning of the steps that have finished. */
  readonly finishedReasoning: string;
  /** Tool calls of the steps that have finished. */
  readonly finishedCalls: StepRequest["finishedCalls"];
  /** What the step after those has published. */
  readonly prefix: PublishedPrefix;
}

/** A turn: what it is asked, and where an earlier attempt left off. */
export interface TurnRequest extends Omit<StepRequest, "step" | "prefix">, TurnProgress {
  readonly tools: readonly BuiltInTool[];
  readonly provider: ModelProvider;
  readonly maxSteps: number;
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

/** What happens in a turn, in order; the last event is `finished`. */
export type TurnEvent =
  | {
      readonly type: "tokens";
      readonly step: number;
      readonly text: string;
      readonly classification: "tokens" | "chain_of_thought";
    }
  | ({ readonly type: "step finished"; readonly calls: readonly FinishedCall[] } & TurnState)
  | ({
      readonly type: "finished";
      readonly error: AgentError | null;
      /** What the provider threw, for the log. */
      readonly cause?: unknown;
    } & TurnState);

/** Sums up where a turn stands. */
export function summarizeTurn(progress: TurnProgress): TurnState {
  const { finishedSteps, finishedReasoning, prefix } = progress;
  const step = finishedSteps.length;
  const rawContents = [...finishedSteps, { step, content: prefix.text }];
  const reasoning = finishedReasoning + prefix.reasoning;
  return {
    step,
    content: rawContents.map((one) => one.content).join(""),
    chainOfThought: reasoning === "" ? null : reasoning,
    rawContents,
  };
}

/**
 * Runs a turn: step after step until one calls no tool, the provider fails or the steps run out. A
 * failure is a value. Throws only when the signal aborts, and what a tool throws.
 */
export async function* runTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void, undefined> {
  const { provider, signal, maxSteps } = request;
  let progress: TurnProgress = request;
  const failed = (code: string, message: string, cause?: unknown): TurnEvent => {
    const error = { code, message, metadata: null };
    return { type: "finished", ...summarizeTurn(progress), error, cause };
  };
  if (!provider.canContinue && progress.prefix.text + progress.prefix.reasoning !== "") {
    yield failed("interrupted", "The turn was interrupted and cannot go on behind what it said");
    return;
  }
  for (;;) {
    const step = progress.finishedSteps.length;
    if (step >= maxSteps) {
      // An earlier attempt was interrupted behind the last step that it had.
      const rawContents = [...progress.finishedSteps];
      const state = { ...summarizeTurn(progress), step: step - 1, rawContents };
      yield { type: "finished", ...state, error: null };
      return;
    }
    const calls: ToolCall[] = [];
    try {
      const { prefix, finishedCalls } = progress;
      for await (const part of provider.streamStep({ ...request, step, prefix, finishedCalls })) {
        if (part.type === "error") {
          yield failed(toStorable(part.code), toStorable(part.message));
          return;
        }
        if (part.type === "call") {
          calls.push(part.call);
          continue;
        }
        const text = toStorable(part.text);
        if (text === "") continue;
        const before = progress.prefix;
        progress =
          part.type === "text"
            ? { ...progress, prefix: { ...before, text: before.text + text } }
            : { ...progress, prefix: { ...before, reasoning: before.reasoning + text } };
        const classification = part.type === "text" ? "tokens" : "chain_of_thought";
        yield { type: "tokens", step, text, classification };
      }
    } catch (cause) {
      if (signal.aborted) throw cause;
      yield failed("provider_error", "The model provider failed", cause);
      return;
    }
    const state = summarizeTurn(progress);
    const finished = await runCalls(calls, request.tools);
    if (finished.length > 0) yield { type: "step finished", ...state, calls: finished };
    if (calls.length === 0 || step + 1 >= maxSteps) {
      yield { type: "finished", ...state, error: null };
      return;
    }
    progress = {
      finishedSteps: state.rawContents,
      finishedReasoning: state.chainOfThought ?? "",
      finishedCalls: [...progress.finishedCalls, ...finished],
      prefix: { text: "", reasoning: "" },
    };
  }
}
