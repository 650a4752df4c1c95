import * as z from "zod";
import { Action, AgentError, AgentMessage, UserMessage } from "./messages.ts";
import { Invocation, InvocationError } from "./sandbox-functions.ts";
import { Milliseconds } from "./text.ts";

const created = Milliseconds.describe("When it happened");

const step = {
  created,
  configurationId: z.string().describe("Id of the agent"),
  messageId: z.string().describe("Id of the agent message"),
  step: z.int().describe("Step of the turn, from 0"),
};

/** Events of one version of an agent message. */
export const MessageEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("generation_tokens"),
    ...step,
    text: z.string().describe("The new text"),
    classification: z
      .enum(["tokens", "chain_of_thought", "opening_delimiter", "closing_delimiter"])
      .describe("What the text is"),
  }),
  z.object({ type: z.literal("tool_params"), ...step, action: Action }),
  z.object({ type: z.literal("agent_action_success"), ...step, action: Action }),
  z.object({
    type: z.literal("agent_message_success"),
    ...step,
    message: AgentMessage,
    runIds: z.array(z.string()),
  }),
  z.object({ type: z.literal("agent_error"), ...step, error: AgentError }),
  z.object({ type: z.literal("agent_generation_cancelled"), ...step }),
]);
export type MessageEvent = z.infer<typeof MessageEvent>;

const rank = { rank: z.int().describe("Position in the conversation") };

/** Events of one conversation. */
export const ConversationEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("user_message_new"),
    created,
    messageId: z.string(),
    message: UserMessage.extend(rank),
  }),
  z.object({
    type: z.literal("agent_message_new"),
    created,
    configurationId: z.string(),
    messageId: z.string(),
    message: AgentMessage.extend(rank),
  }),
  z.object({
    type: z.literal("agent_message_done"),
    created,
    conversationId: z.string(),
    configurationId: z.string(),
    messageId: z.string(),
    status: z.enum(["success", "error"]),
  }),
  z.object({ type: z.literal("conversation_title"), created, title: z.string() }),
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;

const invocation = {
  created,
  invocationId: z.string().describe("Id of the invocation"),
  functionId: z.string().describe("Id of the function"),
};

/** Events of one invocation of a sandbox function. */
export const InvocationEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("sandbox_function_invocation_created"),
    created,
    invocation: Invocation,
  }),
  z.object({
    type: z.literal("sandbox_function_invocation_log"),
    ...invocation,
    stream: z.enum(["stdout", "stderr"]),
    text: z.string(),
  }),
  z.object({
    type: z.literal("sandbox_function_invocation_progress"),
    ...invocation,
    done: z.number(),
    total: z.number(),
    label: z.string(),
  }),
  z.object({
    type: z.literal("sandbox_function_invocation_result"),
    ...invocation,
    result: z.unknown(),
  }),
  z.object({
    type: z.literal("sandbox_function_invocation_error"),
    ...invocation,
    error: InvocationError,
  }),
]);
export type InvocationEvent = z.infer<typeof InvocationEvent>;

/** Any event of any log. */
export type LogEvent = MessageEvent | ConversationEvent | InvocationEvent;
