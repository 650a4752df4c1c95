import * as z from "zod";
import { created, eventType } from "../parsing/event-fields.ts";
import {
  ToolApproval,
  ToolAuthorizationRequired,
  ToolOutputRequired,
  ToolQuestion,
} from "./blocked-actions.ts";
import { AgentMessage, UserMessage } from "./messages.ts";

const agentId = z.string().describe("Id of the agent").meta({ example: "helper" });
const messageId = z.string().describe("Id of the message").meta({ example: "Mf6yC1vB8k" });

const rank = { rank: z.int().describe("Position in the conversation").meta({ example: 0 }) };

/** Events of one conversation. */
export const ConversationEvent = z.discriminatedUnion("type", [
  z.object({
    type: eventType("user_message_new"),
    created,
    messageId,
    message: UserMessage.extend(rank).describe("The message"),
  }),
  z.object({
    type: eventType("agent_message_new"),
    created,
    configurationId: agentId,
    messageId,
    message: AgentMessage.extend(rank).describe("The answer, still without text"),
  }),
  ToolApproval,
  ToolQuestion,
  ToolAuthorizationRequired,
  ToolOutputRequired,
  z.object({
    type: eventType("agent_message_done"),
    created,
    conversationId: z.string().describe("Id of the conversation"),
    configurationId: agentId,
    messageId,
    status: z.enum(["success", "error"]).describe("How the answer ended"),
  }),
  z.object({
    type: eventType("conversation_compacted"),
    created,
    conversationId: z.string().describe("Id of the conversation"),
    number: z.int().describe("Number of the summary in the conversation").meta({ example: 1 }),
    fromRank: z.int().describe("First position that it replaces in prompts").meta({ example: 0 }),
    toRank: z.int().describe("Last position that it replaces").meta({ example: 87 }),
    containsNumber: z.int().nullable().describe("The earlier summary that it contains"),
    model: z
      .object({
        providerId: z.string().describe("Provider"),
        modelId: z.string().describe("Model"),
      })
      .describe("The model that wrote it"),
    inputTokens: z.int().describe("Tokens that the model read"),
    outputTokens: z.int().describe("Tokens that it wrote"),
    text: z.string().describe("The summary"),
  }),
  z.object({
    type: eventType("conversation_title"),
    created,
    title: z.string().describe("The new title"),
  }),
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;
