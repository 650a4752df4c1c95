/** One call of the model that summarises. */
import {
  addUsage,
  type CallMeter,
  charactersOfPrompt,
  type ModelProvider,
  type PromptMessage,
  summaryPrompt,
  type TokenUsage,
} from "@parley/agent";
import type { SavedSummary } from "@parley/core";
import { type TakenFiles, toStorable } from "@parley/schema";

type StoredStep = SavedSummary["steps"][number];

const TIMEOUT_MS = 5 * 60_000;
/** Of a summary: what models write in two to three thousand tokens. */
const MAX_CHARACTERS = 16_000;

/** A model, with what is needed to call it. */
export interface SummaryModel {
  readonly provider: ModelProvider;
  readonly modelId: string;
  readonly temperature: number;
  readonly contextTokens: number;
  /** Files that it takes as they are. */
  readonly takes: readonly TakenFiles[];
  readonly apiKey: string | undefined;
  readonly traceparent: string | undefined;
}

export type Failure = { readonly code: string; readonly message: string };

/** What the model gave, and its measurements if it was called to its end. */
export type Summarised = { readonly step?: StoredStep } & (
  | { readonly text: string }
  | { readonly failure: Failure }
);

/** What a simulated model says: the beginnings of the messages. */
function simulate(lines: readonly string[], soFar: string): string {
  const room = Math.max(
    20,
    Math.floor(charactersOfPrompt(summaryPrompt(lines, "")) / lines.length / 4),
  );
  const beginnings = lines.map((line) => {
    // Written by this program.
    const { position, text } = JSON.parse(line) as { position: number; text: string };
    return `${position}: ${text.slice(0, Math.min(room, 80))}`;
  });
  return [soFar, ...beginnings].join("\n").slice(-MAX_CHARACTERS).trim();
}

/** Asks for the summary of some lines of a transcript. Throws the reason of the signal. */
export async function askModel(
  model: SummaryModel & { readonly meter: CallMeter },
  given: { readonly lines: readonly string[]; readonly soFar: string; readonly index: number },
  signal: AbortSignal,
): Promise<Summarised> {
  const { provider, ...called } = model;
  const { lines, soFar, index } = given;
  const prompt: PromptMessage[] = summaryPrompt(lines, soFar);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const startedAt = performance.now();
  const said = provider.countsTokens ? null : simulate(lines, soFar);
  let text = "";
  let usage: TokenUsage | undefined;
  let failure: Failure | undefined;
  try {
    const parts = provider.streamStep({
      ...called,
      prompt,
      tools: [],
      finishedSteps: [],
      finishedCalls: [],
      step: 0,
      script: said === null ? null : { steps: [{ text: said }], tokenDelayMs: 0 },
      prefix: { text: "", reasoning: "" },
      signal: AbortSignal.any([signal, timeout]),
    });
    for await (const part of parts) {
      // What is too long is read to its end: it is billed, and its usage comes last.
      if (part.type === "text" && text.length <= MAX_CHARACTERS) text += part.text;
      else if (part.type === "usage") {
        const { type: _type, ...counted } = part;
        usage = usage === undefined ? counted : addUsage(usage, counted);
      } else if (part.type === "error") failure = { code: part.code, message: part.message };
      else if (part.type === "finish") failure ??= failureOf(part.reason);
      if (text.length > MAX_CHARACTERS) failure ??= tooLong;
    }
  } catch (error) {
    signal.throwIfAborted();
    failure = timeout.aborted
      ? { code: "timeout", message: "The model has not answered in time" }
      : { code: "provider_error", message: "The model provider failed" };
    if (!timeout.aborted && !(error instanceof Error)) throw error;
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const counted = usage ?? { inputTokens: null, outputTokens: null };
  const step: StoredStep = { step: index, ...counted, durationMs };
  const summary = toStorable(text).trim();
  failure ??= summary === "" ? { code: "empty", message: "The model wrote nothing" } : undefined;
  if (failure === undefined) return { text: summary, step };
  const { code, message } = failure;
  return { failure: { code: toStorable(code), message: toStorable(message) }, step };
}

const tooLong: Failure = { code: "too_long", message: "The model's summary is too long" };

function failureOf(reason: string): Failure | undefined {
  if (reason === "length") return { code: "cut_off", message: "The model's summary was cut off" };
  if (reason === "content_filter") {
    return { code: "content_filter", message: "The provider has withheld the summary" };
  }
  return undefined;
}
