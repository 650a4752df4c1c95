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

const conversationId = z
  .string()
  .describe("Id of the conversation")
  .meta({ example: "Kd82jXq0Pz" });

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
    conversationId,
    configurationId: agentId,
    messageId,
    status: z.enum(["success", "error"]).describe("How the answer ended"),
  }),
  z.object({
    type: eventType("conversation_compacted"),
    created,
    conversationId,
    number: z.int().describe("Number of the summary in the conversation").meta({ example: 1 }),
    fromRank: z.int().describe("First position that it replaces in prompts").meta({ example: 0 }),
    toRank: z.int().describe("Last position that it replaces").meta({ example: 87 }),
    containsNumber: z.int().nullable().describe("The earlier summary that it contains"),
    model: z
      .object({
        providerId: z.string().describe("Provider").meta({ example: "openai" }),
        modelId: z.string().describe("Model").meta({ example: "gpt-5-mini" }),
      })
      .describe("The model that wrote it"),
    inputTokens: z.int().describe("Tokens that the model read").meta({ example: 9120 }),
    outputTokens: z.int().describe("Tokens that it wrote").meta({ example: 310 }),
    text: z.string().describe("The summary").meta({ example: "Ada asked about order 1042." }),
  }),
  z.object({
    type: eventType("conversation_title"),
    created,
    title: z.string().describe("The new title").meta({ example: "Late refund" }),
  }),
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;
