import type { MessageEvent } from "@parley/schema";
import type { EventCodec, Frame } from "../event-codec.ts";
import { templateOf } from "../json-templates.ts";

type FinishReason = "stop" | "length" | "content_filter" | "tool_calls";

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What of an answer a completion shows. */
export interface ChatState {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: FinishReason | null;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** The members that all chunks of a completion have. */
export interface ChunkBase {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export interface ChatCodec extends EventCodec<MessageEvent> {
  readonly state: () => ChatState;
}

/**
 * The events of an answer as the chunks of a chat completion, which ends where the answer waits for outputs of the
 * caller's tools. With `waited`, it begins after so many of these waits.
 */
export function createChatCodec(
  base: ChunkBase,
  { waited }: { readonly waited: number },
): ChatCodec {
  let text = "";
  let calls: ToolCall[] = [];
  let finishReason: FinishReason | null = null;
  let error: ChatState["error"];
  let waits = 0;
  const isShown = () => waits >= waited;

  const chunkOf = (delta: object, reason: FinishReason | null = null) => ({
    id: base.id,
    object: "chat.completion.chunk",
    created: base.created,
    model: base.model,
    service_tier: "default",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  });
  const chunk = (...given: Parameters<typeof chunkOf>): Frame => ({
    data: JSON.stringify(chunkOf(...given)),
  });
  const encodeText = templateOf((content) => chunkOf({ content }));

  function finish(reason: FinishReason): Frame[] {
    finishReason = reason;
    return [chunk({}, reason)];
  }
  function fail(code: string, message: string): Frame[] {
    const isQuota = code === "budget_exceeded";
    error = { code: isQuota ? "insufficient_quota" : code, message };
    const type = isQuota ? "insufficient_quota" : "server_error";
    return [{ data: JSON.stringify({ error: { message, type, param: null, code: error.code } }) }];
  }

  function encode(event: MessageEvent): Frame[] {
    switch (event.type) {
      case "generation_tokens":
        if (event.classification !== "tokens" || !isShown()) return [];
        text += event.text;
        return [{ data: encodeText(event.text) }];
      case "tool_output_required": {
        const isLast = event.isLastBlockingEventForStep !== false;
        if (!isShown()) {
          if (isLast) waits++;
          return [];
        }
        const called = { name: event.functionName, arguments: JSON.stringify(event.inputs) };
        const call: ToolCall = { id: event.actionId, type: "function", function: called };
        const frame = chunk({ tool_calls: [{ index: calls.length, ...call }] });
        calls = [...calls, call];
        return isLast ? [frame, ...finish("tool_calls")] : [frame];
      }
      case "tool_approve_execution":
        return fail(
          "approval_required",
          `The agent may call ${event.metadata.toolName} only with an approval, which chat completions cannot give: use the Responses interface`,
        );
      case "agent_message_success":
        return finish(ofFinish(event.message.finishReason));
      case "agent_error":
        return fail(event.error.code, event.error.message);
      case "agent_generation_cancelled":
        return fail("cancelled", "The answer was cancelled");
      case "tool_params":
      case "agent_action_success":
      case "tool_ask_user_question":
      case "tool_personal_auth_required":
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
      case "agent_message_citations":
      case "agent_task_started":
      case "agent_task_call_decided":
      case "agent_task_event":
        return [];
      default:
        // A newer process may have written others.
        event satisfies never;
        return [];
    }
  }

  return {
    begin: () => [chunk({ role: "assistant", content: "", refusal: null })],
    encode,
    get isEnded() {
      return finishReason !== null || error !== undefined;
    },
    state: () => ({ text, calls, finishReason, error }),
  };
}

function ofFinish(reason: string | null | undefined): FinishReason {
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}
