import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import type { Server } from "../server.ts";

/** A message of a chat: its answers say of which conversation they are. */
export type ChatMessage = UIMessage<{ conversationId: string }>;

interface ChatOptions {
  readonly id: string;
  readonly agentId?: string;
  readonly key?: string;
  readonly messages?: ChatMessage[];
  readonly transport?: HttpChatTransportInitOptions<ChatMessage>;
  readonly sendAutomaticallyWhen?: (chat: { messages: ChatMessage[] }) => boolean;
}

/** The URL of an agent for chats. */
export const apiOf = ({ url, demo }: Server, agentId: string): string =>
  `${url}/api/v1/w/${demo.workspaceId}/assistant/agent_configurations/${agentId}/ai-sdk`;

/** A chat of the AI SDK with an agent, with the SDK's own transport. */
export function openChat(
  server: Server,
  { id, agentId = "slowpoke", key = server.demo.userKey, messages = [], ...options }: ChatOptions,
): Chat<ChatMessage> {
  return new Chat<ChatMessage>({
    id,
    messages,
    sendAutomaticallyWhen:
      options.sendAutomaticallyWhen ?? lastAssistantMessageIsCompleteWithApprovalResponses,
    transport: new DefaultChatTransport<ChatMessage>({
      api: apiOf(server, agentId),
      headers: { Authorization: `Bearer ${key}` },
      ...options.transport,
    }),
  });
}

/** The conversation of a chat, as its last answer names it. */
export function conversationOf({ messages }: Chat<ChatMessage>): string {
  const { conversationId } = messages.findLast(({ metadata }) => metadata !== undefined)!.metadata!;
  return conversationId;
}

/** The text of a chat's last message. */
export function lastText({ messages }: Pick<Chat<ChatMessage>, "messages">): string {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
}
