import { toStorable, toStorableJson } from "@parley/schema";
import { joinSurrogates } from "./join-surrogates.ts";
import { fitPrompt } from "./prompt.ts";
import type { PublishedPrefix, ToolCall } from "./provider.ts";
import type { TurnEvent, TurnProgress, TurnRequest } from "./turn.ts";

/** UTF-16 code units of what a turn publishes; a model that says more has lost its way. */
export const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024;

/** What a step took, and what its provider wants to be shown of it again. */
export interface StepRecord {
  readonly step: number;
  /** As the provider counts them; null where it does not. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly durationMs: number;
  readonly replay?: unknown;
}

/** What a model has said in a step. */
export interface SaidStep {
  readonly prefix: PublishedPrefix;
  readonly calls: readonly ToolCall[];
  readonly failure: { code: string; message: string; cause?: unknown } | null;
  readonly record: StepRecord;
}

/**
 * Runs the next step of a turn: streams it from the provider, with its texts made storable and put
 * together where a character was split. Throws only when the signal aborts.
 */
export async function* runStep(
  request: TurnRequest,
  progress: TurnProgress,
): AsyncGenerator<TurnEvent, SaidStep, undefined> {
  const step = progress.finishedSteps.length;
  const tools = [...request.tools, ...request.functions];
  const said = { ...progress.prefix };
  const calls: ToolCall[] = [];
  let usage: { inputTokens: number; outputTokens: number } | undefined;
  let replay: unknown;
  let left = MAX_ANSWER_CHARACTERS - charactersOf(progress);
  const startedAt = performance.now();
  const end = (failure: SaidStep["failure"]): SaidStep => {
    const { inputTokens = null, outputTokens = null } = usage ?? {};
    const durationMs = Math.round(performance.now() - startedAt);
    const record = { step, inputTokens, outputTokens, durationMs };
    return {
      prefix: said,
      calls,
      failure,
      record: replay === undefined ? record : { ...record, replay },
    };
  };
  const joiner = joinSurrogates();
  let speaking: "text" | "reasoning" = "text";
  const publish = (type: "text" | "reasoning", given: string): TurnEvent[] => {
    const text = toStorable(given);
    if (text === "") return [];
    said[type] += text;
    left -= text.length;
    const classification = type === "text" ? "tokens" : "chain_of_thought";
    return [{ type: "tokens", step, text, classification }];
  };
  try {
    const stepRequest = { ...request, ...progress, tools, step };
    const { provider, contextTokens } = request;
    const prompt = provider.countsTokens
      ? await fitPrompt(stepRequest, contextTokens)
      : request.prompt;
    for await (const part of provider.streamStep({ ...stepRequest, prompt })) {
      if (part.type === "text" || part.type === "reasoning") {
        if (part.type !== speaking) yield* publish(speaking, joiner.flush());
        speaking = part.type;
        if (part.text.length > left) return end(tooLong);
        yield* publish(speaking, joiner.push(part.text));
      } else if (part.type === "call") {
        calls.push(part.call);
      } else if (part.type === "usage") {
        usage = part;
      } else if (part.type === "replay") {
        replay = toStorableJson(part.replay);
      } else if (part.type === "error") {
        yield* publish(speaking, joiner.flush());
        return end({
          code: toStorable(part.code),
          message: toStorable(part.message),
          cause: part.cause,
        });
      }
    }
    yield* publish(speaking, joiner.flush());
    return end(null);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    return end({ code: "provider_error", message: "The model provider failed", cause });
  }
}

const tooLong = { code: "output_too_large", message: "The model's answer is too long" };

function charactersOf({ finishedSteps, finishedReasoning, prefix }: TurnProgress): number {
  const steps = finishedSteps.reduce((sum, { content }) => sum + content.length, 0);
  return steps + finishedReasoning.length + prefix.text.length + prefix.reasoning.length;
}
