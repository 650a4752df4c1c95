import type { Action, AgentMessage, ConversationMessage } from "@parley/schema";
import type { DynamicToolUIPart, UIMessage } from "ai";
import { type AnswerMetadata, errorTextOf } from "./call-chunks.ts";

/** A message of a chat. */
type ChatMessage = UIMessage<AnswerMetadata>;

/**
 * The messages of a conversation as `useChat` begins with them, without fragments of context, what is hidden, and
 * answers in progress.
 */
export function toChatMessages(
  conversationId: string,
  content: readonly (readonly ConversationMessage[])[],
): ChatMessage[] {
  const metadata = { conversationId };
  return content.flatMap((versions): ChatMessage[] => {
    const message = versions.at(-1);
    if (message?.visibility !== "visible") return [];
    if (message.type === "user_message") {
      const parts = [{ type: "text" as const, text: message.content }];
      return [{ id: message.sId, role: "user", metadata, parts }];
    }
    if (message.type !== "agent_message" || message.status === "created") return [];
    return [{ id: message.sId, role: "assistant", metadata, parts: partsOf(message) }];
  });
}

/** The reasoning of all steps comes first: a message does not say of which it is. */
function partsOf(message: AgentMessage): ChatMessage["parts"] {
  const { chainOfThought, rawContents, actions, structuredOutput: data } = message;
  const steps = new Set([...rawContents, ...actions].map(({ step }) => step));
  return [
    ...(chainOfThought === null ? [] : [{ type: "reasoning" as const, text: chainOfThought }]),
    ...[...steps]
      .toSorted((a, b) => a - b)
      .flatMap((step): ChatMessage["parts"] => [
        { type: "step-start" },
        ...rawContents
          .filter((raw) => raw.step === step && raw.content !== "")
          .map(({ content }) => ({ type: "text" as const, text: content })),
        ...actions.filter((action) => action.step === step).map(toToolPart),
      ]),
    ...(data === undefined ? [] : [{ type: "data-structured-output" as const, data }]),
  ];
}

function toToolPart({ toolName, sId, params: input, status, output }: Action): DynamicToolUIPart {
  const call = { type: "dynamic-tool", toolName, toolCallId: sId, providerExecuted: true } as const;
  if (status === "succeeded") return { ...call, input, state: "output-available", output };
  if (status === "denied") {
    const approval = { id: sId, approved: false } as const;
    return { ...call, input, state: "output-denied", approval };
  }
  return { ...call, input, state: "output-error", errorText: errorTextOf(output) };
}
