import type {
  Action,
  AgentMessage,
  ConversationMessage,
  CreatedConversation,
} from "@parley/schema";
import type { DynamicToolUIPart, UIMessage } from "ai";

/** What the transport stores with an answer; it needs nothing else to continue a chat. */
export interface ChatMetadata {
  readonly conversationId: string;
  /** Where the stream was left because calls wait for approval. */
  readonly continueAfter?: { readonly lastEventId: string };
}

/** A message of a chat: `useChat<ChatMessage>`. */
export type ChatMessage = UIMessage<ChatMetadata>;

/** A message of a conversation that was read, or of one that was created. */
type SomeMessage =
  | ConversationMessage
  | CreatedConversation["conversation"]["content"][number][number];

/**
 * The messages of a conversation as `useChat` begins with them, without fragments of context. An answer
 * that is being written is left out: `resume` brings it.
 */
export function toChatMessages(conversation: {
  readonly sId: string;
  readonly content: readonly (readonly SomeMessage[])[];
}): ChatMessage[] {
  const metadata = { conversationId: conversation.sId };
  return conversation.content.flatMap((versions): ChatMessage[] => {
    const message = versions.at(-1);
    if (message?.type === "user_message") {
      const parts = [{ type: "text" as const, text: message.content }];
      return [{ id: message.sId, role: "user", metadata, parts }];
    }
    if (message?.type !== "agent_message" || message.status === "created") return [];
    return [{ id: message.sId, role: "assistant", metadata, parts: partsOf(message) }];
  });
}

function partsOf({
  chainOfThought,
  rawContents,
  actions,
  structuredOutput: data,
}: Pick<
  AgentMessage,
  "chainOfThought" | "rawContents" | "actions" | "structuredOutput"
>): ChatMessage["parts"] {
  const steps = [...rawContents, ...actions].map(({ step }) => step);
  const reasoning = { type: "reasoning" as const, text: chainOfThought ?? "" };
  return [
    ...(chainOfThought === null ? [] : [reasoning]),
    ...[...new Set(steps)]
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

function toToolPart(action: Action): DynamicToolUIPart {
  const shared = {
    type: "dynamic-tool" as const,
    toolName: action.toolName,
    toolCallId: action.sId,
    providerExecuted: true,
    input: action.params,
  };
  if (action.status === "succeeded") {
    return { ...shared, state: "output-available", output: action.output };
  }
  if (action.status === "denied") {
    const approval = { id: action.sId, approved: false as const };
    return { ...shared, state: "output-denied", approval };
  }
  return { ...shared, state: "output-error", errorText: errorTextOf(action) };
}

/** What a call that failed has put out. */
export function errorTextOf({ output }: Action): string {
  // MCP content: functions put out one text.
  const [first] = (output ?? []) as { text?: string }[];
  return first?.text ?? "The call did not end";
}
