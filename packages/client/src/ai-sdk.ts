export {
  type ChatTransportOptions,
  createChatTransport,
  type ParleyChatTransport,
} from "./ai-sdk/chat-transport.ts";
export { type ChatMessage, type ChatMetadata, toChatMessages } from "./ai-sdk/ui-messages.ts";
export type { Permission } from "./ai-sdk/answer-chunks.ts";
