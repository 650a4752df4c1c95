import * as z from "zod";
import { Action, AgentError, AgentMessage, UserMessage } from "./messages.ts";
import { Invocation, InvocationError } from "./sandbox-functions.ts";
import { Milliseconds } from "./text.ts";

const type = <T extends string>(name: T) => z.literal(name).describe("Kind of event");
const created = Milliseconds.describe("When it happened");
const agentId = z.string().describe("Id of the agent");
const messageId = z.string().describe("Id of the message");

const step = {
  created,
  configurationId: agentId,
  messageId,
  step: z.int().describe("Step of the turn, from 0"),
};

/** Events of one version of an agent message. */
export const MessageEvent = z.discriminatedUnion("type", [
  z.object({
    type: type("generation_tokens"),
    ...step,
    text: z.string().describe("The new text"),
    classification: z
      .enum(["tokens", "chain_of_thought", "opening_delimiter", "closing_delimiter"])
      .describe("What the text is"),
  }),
  z.object({
    type: type("tool_params"),
    ...step,
    action: Action.describe("The call that begins"),
  }),
  z.object({
    type: type("agent_action_success"),
    ...step,
    action: Action.describe("The call with its output"),
  }),
  z.object({
    type: type("agent_message_success"),
    ...step,
    message: AgentMessage.describe("The whole answer"),
    runIds: z.array(z.string()).describe("Always empty"),
  }),
  z.object({
    type: type("agent_error"),
    ...step,
    error: AgentError.describe("Why the answer failed"),
  }),
  z.object({ type: type("agent_generation_cancelled"), ...step }),
]);
export type MessageEvent = z.infer<typeof MessageEvent>;

const rank = { rank: z.int().describe("Position in the conversation") };

/** Events of one conversation. */
export const ConversationEvent = z.discriminatedUnion("type", [
  z.object({
    type: type("user_message_new"),
    created,
    messageId,
    message: UserMessage.extend(rank).describe("The message"),
  }),
  z.object({
    type: type("agent_message_new"),
    created,
    configurationId: agentId,
    messageId,
    message: AgentMessage.extend(rank).describe("The answer, still without text"),
  }),
  z.object({
    type: type("agent_message_done"),
    created,
    conversationId: z.string().describe("Id of the conversation"),
    configurationId: agentId,
    messageId,
    status: z.enum(["success", "error"]).describe("How the answer ended"),
  }),
  z.object({
    type: type("conversation_title"),
    created,
    title: z.string().describe("The new title"),
  }),
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
    type: type("sandbox_function_invocation_created"),
    created,
    invocation: Invocation.describe("The invocation"),
  }),
  z.object({
    type: type("sandbox_function_invocation_log"),
    ...invocation,
    stream: z.enum(["stdout", "stderr"]).describe("Where the function printed it"),
    text: z.string().describe("What the function printed"),
  }),
  z.object({
    type: type("sandbox_function_invocation_progress"),
    ...invocation,
    done: z.number().describe("How much is done"),
    total: z.number().describe("How much there is to do"),
    label: z.string().describe("What is being done"),
  }),
  z.object({
    type: type("sandbox_function_invocation_result"),
    ...invocation,
    result: z.unknown().describe("What the function returned"),
  }),
  z.object({
    type: type("sandbox_function_invocation_error"),
    ...invocation,
    error: InvocationError.describe("Why the function failed"),
  }),
]);
export type InvocationEvent = z.infer<typeof InvocationEvent>;

/** Any event of any log. */
export type LogEvent = MessageEvent | ConversationEvent | InvocationEvent;
