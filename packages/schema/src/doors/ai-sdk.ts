import * as z from "zod";
import { AgentParams } from "../agents/agents.ts";
import { GetConversation } from "../conversations/conversations.ts";
import { CreateMessage } from "../conversations/messages.ts";
import { get, post } from "../endpoint-defaults.ts";
import type { DoorEndpoint } from "../endpoint.ts";
import { optional, Reference } from "../parsing/text.ts";

const chatId = Reference.describe(
  "Id of the chat, as its page has it: the same names the same conversation of the caller. The id of " +
    "a conversation that the caller reaches names that",
).meta({ example: "Wd4kP9xZq1Lm7Tn2" });

/** What is read of the one message that a chat sends; other members and kinds of parts are ignored. */
export const SentChatMessage = z.object({
  id: Reference.describe("Id of the message"),
  role: z.enum(["user", "assistant"]).describe("Who wrote it"),
  parts: z
    .array(
      z.object({
        type: z.string().describe("Kind of part: text, file, or a tool's"),
        text: z.string().optional().describe("Of a text"),
        url: z.string().optional().describe("Of a file: a data: URL with its bytes"),
        mediaType: z.string().optional().describe("Of a file"),
        filename: z.string().optional().describe("Of a file"),
        state: z
          .string()
          .optional()
          .describe(
            "Of a call: approval-responded if it is decided, output-available or output-error if the page has run it",
          ),
        toolCallId: Reference.optional().describe("Of a call: its id"),
        providerExecuted: z.boolean().optional().describe("Of a call: whether the server runs it"),
        output: z.unknown().optional().describe("Of a call that the page has run"),
        errorText: z.string().optional().describe("Of a call that the page has run in vain"),
        approval: z
          .object({
            id: Reference.describe("Id of the call"),
            approved: z.boolean().optional().describe("The decision"),
          })
          .optional()
          .describe("Of a call that waits for a decision"),
      }),
    )
    .max(1000)
    .describe("The parts"),
});
export type SentChatMessage = z.output<typeof SentChatMessage>;

/** Body of what `DefaultChatTransport` sends, with members of messages that it may be given to send too. */
export const SendChat = z.object({
  id: chatId,
  messages: z
    .array(z.unknown())
    .min(1)
    .describe(
      "Messages of the page. Only the one that is sent is read, mostly the last: the server has the history",
    )
    .meta({
      example: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello!" }] }],
    }),
  trigger: z
    .enum(["submit-message", "regenerate-message"])
    .describe("Whether a message is sent, or the last answer is given again"),
  messageId: optional(Reference).describe(
    "The message that is edited, regenerated, or whose calls are decided or were run; by default the last one",
  ),
  ...CreateMessage.pick({
    context: true,
    modelSelection: true,
    responseFormat: true,
    functionTools: true,
    toolChoice: true,
  }).shape,
});
export type SendChat = z.output<typeof SendChat>;

/** A chunk of the UI message stream. */
const ChatChunk = z
  .looseObject({ type: z.string().describe("Kind of chunk") })
  .meta({ example: { type: "text-delta", id: "text-3", delta: "You said: " } });

/** A message as `useChat` begins with it. */
const ChatMessage = z.object({
  id: z.string().describe("Id of the message").meta({ example: "Mf6yC1vB8k" }),
  role: z.enum(["user", "assistant"]).describe("Who wrote it"),
  metadata: z.object({
    conversationId: z.string().describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
  }),
  parts: z
    .array(z.looseObject({ type: z.string().describe("Kind of part") }))
    .describe("The parts")
    .meta({ example: [{ type: "text", text: "Hello!" }] }),
});

const root = "/api/v1/w/{wId}/assistant/agent_configurations/{sId}/ai-sdk";
const tags = ["ai-sdk"] as const;

/** Chats of the AI SDK: what its `DefaultChatTransport` calls. */
export const aiSdkDoors = {
  "aiSdk.send": {
    ...post,
    kind: "door",
    tags,
    scope: "conversations:write",
    summary: "Send what a chat of the AI SDK sends, and stream the answer",
    path: root,
    params: AgentParams,
    body: SendChat,
    event: ChatChunk,
    errors: [
      "agent_not_found",
      "conversation_not_found",
      "message_not_found",
      "model_disabled",
      "file_not_found",
      "file_type_not_supported",
      "file_too_large",
    ],
  },
  "aiSdk.messages": {
    ...get,
    kind: "door",
    tags,
    scope: "conversations:read",
    summary: "Read the messages of a chat, without an answer in progress: a resume brings that",
    path: `${root}/{chatId}/messages`,
    params: AgentParams.extend({ chatId }),
    query: GetConversation,
    output: z.object({
      messages: z
        .array(ChatMessage)
        .describe("The messages, oldest first; none of an unknown chat"),
      hasMore: z.boolean().describe("Whether there are earlier messages"),
      lastValue: z.string().nullable().describe("Parameter for the messages before these"),
    }),
    errors: ["agent_not_found"],
  },
  "aiSdk.resume": {
    ...get,
    kind: "door",
    tags,
    scope: "conversations:read",
    rateLimit: "stream",
    summary: "Replay the answer in progress of a chat, from its beginning; 204 if there is none",
    path: `${root}/{chatId}/stream`,
    params: AgentParams.extend({ chatId }),
    query: z.object({
      ended: optional(z.enum(["replay"])).describe(
        "replay: the last answer is replayed too if it has ended, for pages that lost its stream before",
      ),
    }),
    event: ChatChunk,
    mayBeIdle: true,
    errors: ["agent_not_found"],
  },
} as const satisfies Record<string, DoorEndpoint>;
