import {
  type AnswerDetails,
  type CreateChatCompletion,
  doors,
  ParleyError,
  renderOpenAiError,
} from "@parley/schema";
import type { FastifyInstance } from "fastify";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { ApiServices } from "../../services.ts";
import { cancelAnswer, cancelWithClient } from "../cancel-answer.ts";
import { detached, type DoorExchange, openLog, registerDoor, withPlace } from "../door.ts";
import { requireAgent } from "../find-agent.ts";
import { readThrough, sendEvents } from "../send-events.ts";
import { type AskedAnswer, askAgent } from "./ask-agent.ts";
import { createChatCodec } from "./chat-codec.ts";

const NAME = "messages.events";

/** Serves chat completions: an answer of an agent, in a conversation of its own unless the request names one. */
export function registerChatCompletions(app: FastifyInstance, services: ApiServices): void {
  registerDoor(app, services, {
    endpoint: doors["chatCompletions.create"],
    renderError: renderOpenAiError,
    handle: async (exchange, request) => {
      const { idempotencyKey: key } = exchange.context;
      // By what was asked two requests are the same: the files that are stored for it have other ids each time.
      const keyed = key && { ...key, asked: request };
      const own = { ...exchange, context: { ...exchange.context, idempotencyKey: keyed } };
      const answer = async (by: DoorExchange) => {
        const agent = await requireAgent(by, request.model);
        return complete(by, request, await askAgent(by, request, agent));
      };
      return request.stream === true ? withPlace(own, answer) : answer(own);
    },
  });
}

async function complete(
  exchange: DoorExchange,
  request: CreateChatCompletion,
  asked: AskedAnswer,
): Promise<unknown> {
  const params = { cId: asked.conversationId, mId: asked.messageId };
  if (asked.isTemporary) cancelWithClient(exchange, asked);
  const readDetails = async (by: DoorExchange) =>
    (await callEndpoint(by, "messages.getAnswer", { params })).answer;
  const answer = await readDetails(exchange);
  // What had ended when it was read first has all of its steps.
  const readSteps = async () =>
    (answer.status === "created" ? await readDetails(later) : answer).steps;
  const source = await openLog(exchange, NAME, { params, query: { include: "function_calls" } });
  const base = {
    id: `chatcmpl-${params.cId}${params.mId}`,
    created: Math.floor(answer.created / 1000),
    model: request.model,
  };
  const codec = createChatCodec(base, asked);
  // What is said after the answer is said after the request, too.
  const later = detached(exchange);
  const end = async () => {
    // Nobody can approve the call of a conversation that no list shows.
    const { error } = codec.state();
    if (error?.code === "approval_required") await cancelAnswer(later, asked);
  };
  if (request.stream === true) {
    sendEvents(exchange, {
      name: NAME,
      source,
      codec: {
        ...codec,
        get isEnded() {
          return codec.isEnded;
        },
        finish: async () => {
          await end();
          const wantsUsage = request.stream_options?.include_usage === true;
          const usage = wantsUsage ? usageOf(await readSteps()) : undefined;
          const last = { ...base, object: "chat.completion.chunk", choices: [], usage };
          return [...(wantsUsage ? [{ data: JSON.stringify(last) }] : []), { data: "[DONE]" }];
        },
      },
    });
    return undefined;
  }
  await readThrough(exchange, source, codec);
  if (!codec.isEnded) {
    throw new ParleyError(
      "request_timeout",
      "The answer takes longer than blocking requests may wait: stream it",
    );
  }
  await end();
  const { text, calls, finishReason, error } = codec.state();
  if (error !== undefined) throw failure(error);
  const named = request.metadata?.["conversation_id"];
  return {
    id: base.id,
    object: "chat.completion",
    created: base.created,
    model: base.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          refusal: null,
          annotations: [],
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: usageOf(await readSteps()),
    service_tier: "default",
    ...(named !== undefined && {
      metadata: { ...request.metadata, conversation_id: asked.conversationId },
    }),
  };
}

function failure({ code, message }: { code: string; message: string }): ParleyError {
  const type = code === "insufficient_quota" ? "budget_exceeded" : "internal_server_error";
  return code === "approval_required"
    ? new ParleyError("version_conflict", message)
    : new ParleyError(type, message);
}

function usageOf(steps: AnswerDetails["steps"]): object {
  const sum = (member: "inputTokens" | "outputTokens" | "cachedInputTokens" | "reasoningTokens") =>
    steps.reduce((total, step) => total + step[member], 0);
  const [prompt, completion] = [sum("inputTokens"), sum("outputTokens")];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: sum("cachedInputTokens") },
    completion_tokens_details: { reasoning_tokens: sum("reasoningTokens") },
  };
}
