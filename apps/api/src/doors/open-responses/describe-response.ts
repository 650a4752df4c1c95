import type { AnswerDetails, AnswerSettings, CreateResponse } from "@parley/schema";
import type { OutputItem } from "./output-items.ts";
import type { ResponseState } from "./response-codec.ts";
import { responseIdOf, type ResponsePlace } from "./response-ids.ts";

/** What a request asked that no setting of an answer says: it is stored with the answer, and given back. */
export type Echo = Pick<
  CreateResponse,
  | "model"
  | "previous_response_id"
  | "metadata"
  | "background"
  | "store"
  | "safety_identifier"
  | "prompt_cache_key"
  | "user"
  | "reasoning"
> & {
  readonly format?: {
    readonly name?: string;
    readonly description?: string;
    readonly strict?: boolean;
  };
};

/** The member of an answer's metadata that has the echo. */
export const ECHO = "openResponses";

/** What a response is described from, besides its events. */
export interface Described {
  readonly place: ResponsePlace;
  readonly answer: Pick<AnswerDetails, "created" | "responseFormat" | "status" | "steps"> & {
    readonly settings: AnswerSettings;
  };
}

/** A response as the protocol has it. */
export function describeResponse(
  { place, answer }: Described,
  state: ResponseState,
  output: readonly OutputItem[],
): Record<string, unknown> {
  const { settings, responseFormat: format } = answer;
  const { functionTools = [], toolChoice = "auto" } = settings;
  const echo = (settings.metadata?.[ECHO] ?? {}) as Partial<Echo>;
  const isOver = state.status !== "in_progress";
  const previous = place.segment > 0 ? { ...place, segment: place.segment - 1 } : undefined;
  return {
    id: responseIdOf(place),
    object: "response",
    created_at: seconds(answer.created),
    completed_at:
      state.status === "completed" && state.endedAt !== undefined ? seconds(state.endedAt) : null,
    status: state.status,
    incomplete_details:
      state.incompleteReason === undefined ? null : { reason: state.incompleteReason },
    error: state.error ?? null,
    model: echo.model ?? "",
    previous_response_id: previous ? responseIdOf(previous) : (echo.previous_response_id ?? null),
    conversation: { id: `conv_${place.conversationId}` },
    instructions: settings.instructions ?? null,
    output,
    tools: functionTools.map(({ name, description, parameters, strict = null }) => {
      return { type: "function", name, description, parameters, strict };
    }),
    tool_choice:
      typeof toolChoice === "string" ? toolChoice : { type: "function", name: toolChoice.name },
    parallel_tool_calls: settings.parallelToolCalls ?? true,
    max_output_tokens: settings.maxOutputTokens ?? null,
    max_tool_calls: null,
    temperature: settings.temperature ?? 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    text: {
      format:
        format === null
          ? { type: "text" }
          : {
              type: "json_schema",
              name: echo.format?.name ?? "answer",
              description: echo.format?.description ?? null,
              schema: format.schema,
              strict: echo.format?.strict ?? false,
            },
    },
    reasoning: { effort: echo.reasoning?.effort ?? null, summary: echo.reasoning?.summary ?? null },
    truncation: "auto",
    store: echo.store ?? true,
    background: echo.background ?? false,
    service_tier: "default",
    metadata: echo.metadata ?? {},
    safety_identifier: echo.safety_identifier ?? null,
    prompt_cache_key: echo.prompt_cache_key ?? null,
    user: echo.user ?? null,
    usage: isOver ? usageOf(answer.steps, state.steps) : null,
  };
}

/** The tokens of the steps of a response. */
function usageOf(all: AnswerDetails["steps"], shown: ResponseState["steps"]): object {
  const steps = all.filter(
    ({ step }) => shown === undefined || (step >= shown.first && step <= shown.last),
  );
  const sum = (member: "inputTokens" | "outputTokens" | "cachedInputTokens" | "reasoningTokens") =>
    steps.reduce((total, step) => total + step[member], 0);
  const [input, output] = [sum("inputTokens"), sum("outputTokens")];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: sum("cachedInputTokens") },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: sum("reasoningTokens") },
    total_tokens: input + output,
  };
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
