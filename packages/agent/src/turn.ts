import type { FinishReason } from "@parley/schema";
import type { StepRecord, TurnEvent, TurnProgress, TurnRequest, TurnState } from "./contract.ts";
import type { EarlierStep } from "./provider.ts";
import { offeredFunctions } from "./offered-functions.ts";
import { runStep } from "./run-step.ts";
import {
  type AcceptedAnswer,
  countRepairs,
  INVALID_ANSWER,
  isLive,
  judgeAnswer,
  mayRepair,
} from "./structured-answer.ts";
import { isFunctionCall, runCalls } from "./tools.ts";

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

/** The output of a turn that ends with its last finished step. */
export function summarizeSteps(progress: TurnProgress): TurnState {
  const { finishedSteps } = progress;
  const rawContents = finishedSteps.map(toRawContent);
  return { ...summarizeTurn(progress), step: finishedSteps.length - 1, rawContents };
}

function reasonOf({ content }: TurnState, stopped: FinishReason | null): FinishReason | null {
  return content.trim() === "" && stopped !== "length" ? "empty" : stopped;
}

function toRawContent({ step, content }: EarlierStep): TurnState["rawContents"][number] {
  return { step, content };
}

/**
 * Runs a turn: step after step until one calls no tool, the provider fails or `maxSteps` is reached. An
 * answer in a wrong format is a step that is repeated, besides these. A failure is a value. Throws only when the signal aborts, and errors of tools.
 */
export async function* runTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void, undefined> {
  const { provider, maxSteps, answerFormat } = request;
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
    const ownSteps = step - countRepairs(progress.finishedSteps);
    if (ownSteps >= maxSteps) {
      // An earlier attempt was interrupted after its last step.
      const state = summarizeSteps(progress);
      const finishReason = reasonOf(state, null);
      yield { type: "finished", ...state, error: null, finishReason };
      return;
    }
    const { finishedCalls: before } = progress;
    const loads = { loadedSkills: request.loadedSkills, finishedCalls: before };
    const functions = offeredFunctions(request.functions, loads);
    const {
      prefix: published,
      failure,
      record,
      stopped,
      held,
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
    if (answerFormat !== undefined && result.calls.length > 0 && published.text !== "") {
      const fault = "The model called a tool after it had begun its answer";
      yield { type: "finished", ...state, ...invalid(fault), record };
      return;
    }
    const { tools } = request;
    const offered = { tools, functions: request.functions, offered: functions, loads };
    const calls = await runCalls(result.calls, offered);
    const whole = held === "" ? record : { ...record, held: { text: held } };
    if (calls.length > 0) yield { type: "step finished", ...state, calls, record: whole };
    if (calls.some(isFunctionCall)) return;
    const isLast = calls.length === 0;
    let answer: AcceptedAnswer | undefined;
    if (answerFormat !== undefined && isLast && stopped !== "length") {
      const judged = await judgeAnswer(answerFormat, published.text || held);
      if ("value" in judged) {
        answer = judged;
      } else {
        const { fault } = judged;
        const repairs = !isLive(answerFormat, [...tools, ...functions]);
        if (!repairs || !mayRepair(progress.finishedSteps)) {
          const message = `The model's answer does not have the format that was asked for: ${fault}`;
          yield { type: "finished", ...state, ...invalid(message), record };
          return;
        }
        const refused = { ...record, held: { text: held, fault } };
        yield { type: "step finished", ...state, calls, record: refused };
        progress = addStep(progress, {
          state,
          record: refused,
          content: published.text,
          calls: [],
        });
        continue;
      }
    }
    if (isLast || ownSteps + 1 >= maxSteps) {
      const unpublished = published.text === "" ? answer?.text : undefined;
      const prefixed = { ...published, text: published.text + (unpublished ?? "") };
      const end = summarizeTurn({ ...progress, prefix: prefixed });
      const finishReason = reasonOf(end, isLast ? stopped : null);
      const ended = { type: "finished" as const, ...end, error: null, finishReason };
      yield { ...ended, ...(isLast && { record }), ...(answer && { answer, unpublished }) };
      return;
    }
    const finishedCalls = calls.flatMap((call) => (isFunctionCall(call) ? [] : { ...call, step }));
    progress = addStep(progress, {
      state,
      record: whole,
      content: published.text,
      calls: finishedCalls,
    });
  }
}

function invalid(message: string) {
  return { error: { code: INVALID_ANSWER, message, metadata: null }, finishReason: null };
}

/** The progress after one more step. */
function addStep(
  progress: TurnProgress,
  finished: {
    readonly state: TurnState;
    readonly record: StepRecord;
    readonly content: string;
    readonly calls: TurnProgress["finishedCalls"];
  },
): TurnProgress {
  const { state, record, content, calls } = finished;
  const { step, replay, model, held } = record;
  return {
    finishedSteps: [...progress.finishedSteps, { step, content, replay, model, held }],
    finishedReasoning: state.chainOfThought ?? "",
    finishedCalls: [...progress.finishedCalls, ...calls],
    prefix: { text: "", reasoning: "" },
  };
}
