import type { FinishReason } from "@parley/schema";
import type { TurnEvent, TurnProgress, TurnRequest, TurnState } from "./contract.ts";
import type { EarlierStep } from "./provider.ts";
import { offeredFunctions } from "./offered-functions.ts";
import { runStep } from "./run-step.ts";
import { isFunctionCall, offeredTools, runCalls } from "./tools.ts";

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
    const functions = offeredFunctions(request.functions, { ...request, ...progress });
    const {
      prefix: published,
      failure,
      record,
      stopped,
      ...result
    } = yield* runStep({ ...request, functions }, progress);
    const state = summarizeTurn({ ...progress, prefix: published });
    if (failure !== null) {
      const { code, message, cause, providerError } = failure;
      const error = { code, message, metadata: null };
      const finishReason = stopped === "content_filter" ? stopped : null;
      yield { type: "finished", ...state, error, finishReason, record, cause, providerError };
      return;
    }
    const tools = offeredTools(request.tools, progress);
    const offered = { tools, functions: request.functions, offered: functions };
    const calls = await runCalls(result.calls, offered);
    if (calls.length > 0) yield { type: "step finished", ...state, calls, record };
    if (calls.some(isFunctionCall)) return;
    if (calls.length === 0 || step + 1 >= maxSteps) {
      const isLast = calls.length === 0;
      const finishReason = reasonOf(state, isLast ? stopped : null);
      yield { type: "finished", ...state, error: null, finishReason, ...(isLast && { record }) };
      return;
    }
    const finishedCalls = calls.flatMap((call) => (isFunctionCall(call) ? [] : { ...call, step }));
    const { replay, model } = record;
    progress = {
      finishedSteps: [...progress.finishedSteps, { step, content: published.text, replay, model }],
      finishedReasoning: state.chainOfThought ?? "",
      finishedCalls: [...progress.finishedCalls, ...finishedCalls],
      prefix: { text: "", reasoning: "" },
    };
  }
}
