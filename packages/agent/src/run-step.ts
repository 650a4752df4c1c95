import {
  type FinishReason,
  type ModelPair,
  type ProviderError,
  toStorable,
  toStorableJson,
} from "@parley/schema";
import type { StepRecord, StepRetry, TurnEvent, TurnProgress, TurnRequest } from "./contract.ts";
import { fitPrompt } from "./prompt.ts";
import type { PublishedPrefix, ToolCall } from "./provider.ts";
import { openGate, requestFormat } from "./structured-answer.ts";
import { addUsage, type PassedOver, type TokenUsage } from "./token-usage.ts";

/** UTF-16 code units that a turn may publish: a model that writes more is stuck in a loop. */
export const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;

/** Retries that a step keeps. */
const MAX_RETRIES_KEPT = 20;

/** The result of a step of a model. */
export interface StepResult {
  readonly prefix: PublishedPrefix;
  readonly calls: readonly ToolCall[];
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly cause?: unknown;
    readonly providerError?: ProviderError | undefined;
  } | null;
  readonly record: StepRecord;
  /** Why the model stopped. */
  readonly stopped: FinishReason;
  /** Text that was not published; empty without a format. */
  readonly held: string;
}

/**
 * Runs the next step of a turn: streams it from the provider, with storable texts whose characters are
 * whole. Throws only when the signal aborts.
 */
export async function* runStep(
  request: TurnRequest,
  progress: TurnProgress,
): AsyncGenerator<TurnEvent, StepResult, undefined> {
  const step = progress.finishedSteps.length;
  const tools = [...request.tools, ...request.functions];
  const prefix = { ...progress.prefix };
  const gate = openGate(request.answerFormat, tools);
  const calls: ToolCall[] = [];
  let usage: TokenUsage | undefined;
  let replay: unknown;
  let model: ModelPair | undefined;
  const passedOver: PassedOver[] = [];
  const retries: StepRetry[] = [];
  let stopped: FinishReason = "stop";
  let left = MAX_ANSWER_CHARACTERS - charactersOf(progress);
  const startedAt = (request.now ?? Date.now)();
  const begunAt = performance.now();
  let firstTokenMs: number | undefined;
  const end = (failure: StepResult["failure"]): StepResult => {
    const durationMs = Math.round(performance.now() - begunAt);
    const counted = usage ?? { inputTokens: null, outputTokens: null };
    const timed = { durationMs, startedAt, ...(firstTokenMs !== undefined && { firstTokenMs }) };
    const answered = { step, ...counted, ...timed, ...(model && { model }) };
    const record = {
      ...answered,
      ...(passedOver.length > 0 && { passedOver }),
      ...(retries.length > 0 && { retries }),
    };
    const replayed = replay === undefined ? record : { ...record, replay };
    return { prefix, calls, failure, record: replayed, stopped, held: gate.held };
  };
  const joiner = joinSurrogates();
  let current: "text" | "reasoning" = "text";
  const publish = (type: "text" | "reasoning", given: string): TurnEvent[] => {
    const storable = toStorable(given);
    left -= storable.length;
    const text = type === "text" ? gate.push(storable) : storable;
    if (text === "") return [];
    prefix[type] += text;
    const classification = type === "text" ? "tokens" : "chain_of_thought";
    return [{ type: "tokens", step, text, classification }];
  };
  try {
    const stepRequest = {
      ...request,
      ...progress,
      answerFormat: requestFormat(request.answerFormat, tools),
      tools,
      step,
      traceparent: request.traceparentOf?.(step),
    };
    const { provider, contextTokens, countFitting } = request;
    const prompt = provider.countsTokens
      ? await fitPrompt(stepRequest, contextTokens, countFitting)
      : request.prompt;
    for await (const part of provider.streamStep({ ...stepRequest, prompt })) {
      if (part.type === "text" || part.type === "reasoning" || part.type === "call") {
        firstTokenMs ??= Math.round(performance.now() - begunAt);
      }
      if (part.type === "text" || part.type === "reasoning") {
        if (part.type !== current) yield* publish(current, joiner.flush());
        current = part.type;
        if (part.text.length > left) return end(tooLong);
        yield* publish(current, joiner.push(part.text));
        if (gate.isFull) return end(tooLong);
      } else if (part.type === "call") {
        calls.push(part.call);
      } else if (part.type === "usage") {
        const { type: _type, ...counted } = part;
        usage = usage === undefined ? counted : addUsage(usage, counted);
      } else if (part.type === "finish") {
        stopped = part.reason;
      } else if (part.type === "model") {
        ({ model } = part);
      } else if (part.type === "passed_over") {
        passedOver.push(part.passedOver);
      } else if (part.type === "retry") {
        const at = (request.now ?? Date.now)();
        const said = { code: toStorable(part.code), message: toStorable(part.message) };
        // Each model of a chain may be asked again.
        if (retries.length < MAX_RETRIES_KEPT) {
          retries.push({ at, pauseMs: Math.round(part.pauseMs), ...said });
        }
      } else if (part.type === "replay") {
        replay = toStorableJson(part.replay);
      } else if (part.type === "error") {
        yield* publish(current, joiner.flush());
        const { code, message, cause, providerError } = part;
        const publicError = { code: toStorable(code), message: toStorable(message) };
        return end({ ...publicError, cause, providerError });
      }
    }
    yield* publish(current, joiner.flush());
    return end(null);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    return end({ code: "provider_error", message: "The model provider failed", cause });
  }
}

const tooLong = { code: "output_too_large", message: "The model's answer is too long" };

function charactersOf({ finishedSteps, finishedReasoning, prefix }: TurnProgress): number {
  const steps = finishedSteps.reduce(
    (sum, { content, held }) => sum + content.length + (held?.text.length ?? 0),
    0,
  );
  return steps + finishedReasoning.length + prefix.text.length + prefix.reasoning.length;
}

/** Joins text that was split in the middle of a character. */
interface SurrogateJoiner {
  /** The text that can be published so far: all except half a character at the end. */
  push(text: string): string;
  /** The half character that is left. */
  flush(): string;
}

/** Creates a joiner for one stream of text. */
export function joinSurrogates(): SurrogateJoiner {
  let held = "";
  return {
    push: (text) => {
      if (text === "") return "";
      const whole = held + text;
      held = endsInHalf(whole) ? whole.slice(-1) : "";
      return held === "" ? whole : whole.slice(0, -1);
    },
    flush: () => {
      const half = held;
      held = "";
      return half;
    },
  };
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
