import type { LanguageModelV4StreamPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { StepPart, ToolCall } from "../provider.ts";
import { failure, type StepFailure } from "./failures.ts";
import { readUsage } from "./read-usage.ts";

/** Characters of the parameters of one step's calls. */
const MAX_PARAMS_CHARACTERS = 1024 * 1024;

/** A step that failed, as opposed to an error of the AI SDK. */
export class FailedStep extends Error {
  override readonly name = "FailedStep";
  readonly failure: StepFailure;

  constructor(given: StepFailure) {
    super(given.message);
    this.failure = given;
  }
}

interface StreamWatch {
  readonly hasUnreadable: () => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Converts the stream of a model into the parts of a step. Throws `FailedStep`, or the error that the
 * stream reports, after the usage that comes with it. `hasUnreadable` says whether counts of tokens were repaired in it;
 * `onError` is called as soon as an error is reported.
 */
export async function* readStep(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  { hasUnreadable, onError }: StreamWatch,
): AsyncGenerator<StepPart, void, undefined> {
  const reasoning = new Map<string, { text: string; options?: SharedV4ProviderOptions }>();
  const callOptions: Record<string, SharedV4ProviderOptions> = {};
  let paramsCharacters = 0;
  let calls = 0;
  let hasText = false;
  let ended = false;
  let reported: { readonly error: unknown } | undefined;
  for await (const part of stream) {
    // Only the usage counts after an error.
    if (reported !== undefined && part.type !== "finish") continue;
    switch (part.type) {
      case "text-delta":
        hasText ||= part.delta !== "";
        yield { type: "text", text: part.delta };
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        const block = reasoning.get(part.id) ?? { text: "" };
        reasoning.set(part.id, block);
        if (part.providerMetadata !== undefined) {
          block.options = mergeOptions(block.options, part.providerMetadata);
        }
        if (part.type !== "reasoning-delta") break;
        block.text += part.delta;
        yield { type: "reasoning", text: part.delta };
        break;
      }
      case "tool-input-delta":
        paramsCharacters += part.delta.length;
        if (paramsCharacters > MAX_PARAMS_CHARACTERS) {
          throw new FailedStep(failure("output_too_large"));
        }
        break;
      case "tool-call": {
        if (part.input.length > MAX_PARAMS_CHARACTERS) {
          throw new FailedStep(failure("output_too_large"));
        }
        calls++;
        if (part.providerMetadata !== undefined) {
          callOptions[part.toolCallId] = part.providerMetadata;
        }
        yield { type: "call", call: toCall(part) };
        break;
      }
      case "error":
        reported = part;
        onError(part.error);
        break;
      case "finish": {
        ended = true;
        const { usage, isReadable } = readUsage(part.usage);
        const { unified, raw } = part.finishReason;
        if (usage.inputTokens + usage.outputTokens > 0) yield { type: "usage", ...usage };
        if (hasUnreadable() || !isReadable) yield { type: "unreadable_usage" };
        if (reported !== undefined) throw reported.error;
        // The AI SDK does not know the word in answers of all services.
        if (unified === "content-filter" || raw === "content_filter") {
          yield { type: "finish", reason: "content_filter" };
          throw new FailedStep(failure("content_filtered"));
        }
        if (unified === "length" && !hasText && calls === 0) {
          throw new FailedStep(failure("context_too_long"));
        }
        if (unified === "error") throw new FailedStep(failure("provider_unavailable"));
        // The connection ended before the service gave a finish reason.
        ended = unified !== "interrupted" && (unified !== "other" || raw !== undefined);
        yield { type: "finish", reason: unified === "length" ? "length" : "stop" };
        break;
      }
    }
  }
  if (reported !== undefined) throw reported.error;
  if (!ended) throw new FailedStep(failure("provider_unavailable", { isRetryable: true }));
  // Without calls no further step needs it.
  if (calls > 0) {
    yield { type: "replay", replay: { reasoning: [...reasoning.values()], calls: callOptions } };
  }
}

function toCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): ToolCall {
  const { toolCallId: id, toolName: name } = part;
  const params = parseParams(part.input);
  if (params !== undefined) return { id, name, params };
  const output = "The parameters are not a JSON object: call it again with one";
  return { id, name, params: {}, output, isError: true };
}

function parseParams(input: string): Record<string, unknown> | undefined {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    // Checked to be a JSON object.
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Services send a block's signature in pieces, each below the service's own name. */
function mergeOptions(
  before: SharedV4ProviderOptions | undefined,
  given: SharedV4ProviderOptions,
): SharedV4ProviderOptions {
  const merged = { ...before };
  for (const [name, options] of Object.entries(given)) {
    merged[name] = { ...merged[name], ...options };
  }
  return merged;
}
