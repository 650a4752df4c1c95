import type { BriefAgent } from "@parley/core";
import type { AnswerSettings, CreateResponse } from "@parley/schema";
import { NOTHING_SAID, reasoningEfforts } from "../openai-requests.ts";
import { ECHO, type Echo } from "./describe-response.ts";

/** The message of a request, for an agent; without a question, of what was said before it. */
export function toMessage(
  request: CreateResponse,
  agent: BriefAgent,
  question: string | undefined,
) {
  const format = request.text?.format;
  const effort = request.reasoning?.effort;
  const { sid, providerId, modelId } = agent;
  return {
    content: question === undefined || question === "" ? NOTHING_SAID : question,
    mentions: [{ configurationId: sid }],
    ...settingsOf(request),
    ...(format?.type === "json_schema" && {
      // The server itself checks answers, whether or not the model's service enforces the schema.
      responseFormat: { type: "json_schema", schema: format.schema },
    }),
    ...(effort !== undefined && {
      modelSelection: { providerId, modelId, reasoningEffort: reasoningEfforts[effort] },
    }),
  };
}

/** What a request asks of the model, as it is stored with the answer; with what is given back. */
export function settingsOf(request: CreateResponse): AnswerSettings {
  const { tools, tool_choice: choice, text } = request;
  const format = text?.format;
  const { model, previous_response_id, metadata, background, store } = request;
  const { safety_identifier, prompt_cache_key, user, reasoning } = request;
  const echo: Echo = {
    model,
    previous_response_id,
    metadata,
    background,
    store,
    safety_identifier,
    prompt_cache_key,
    user,
    reasoning,
    ...(format?.type === "json_schema" && {
      format: {
        ...(format.strict !== undefined && { strict: format.strict }),
        ...(format.name !== undefined && { name: format.name }),
        ...(format.description !== undefined && { description: format.description }),
      },
    }),
  };
  return {
    ...(tools !== undefined &&
      tools.length > 0 && {
        functionTools: tools.map(({ type: _function, ...tool }) => ({
          ...tool,
        })) as unknown as NonNullable<AnswerSettings["functionTools"]>,
      }),
    ...(choice !== undefined && {
      toolChoice: typeof choice === "string" ? choice : { name: choice.name },
    }),
    ...(request.parallel_tool_calls !== undefined && {
      parallelToolCalls: request.parallel_tool_calls,
    }),
    ...(request.max_output_tokens !== undefined && { maxOutputTokens: request.max_output_tokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.instructions !== undefined && { instructions: request.instructions }),
    // Without what is undefined.
    metadata: { [ECHO]: JSON.parse(JSON.stringify(echo)) as Echo },
  };
}
