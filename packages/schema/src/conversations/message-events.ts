import * as z from "zod";
import { ModelPair } from "../workspaces/models.ts";
import { created, eventType } from "../parsing/event-fields.ts";
import {
  ToolApproval,
  ToolAuthorizationRequired,
  ToolOutputRequired,
  ToolQuestion,
} from "./blocked-actions.ts";
import { Citation } from "./citations.ts";
import { Action, AgentError, AgentMessage, PromptNote } from "./messages.ts";

const agentId = z.string().describe("Id of the agent").meta({ example: "helper" });
const messageId = z.string().describe("Id of the message").meta({ example: "Vn4tR9sWy1" });

const step = {
  created,
  configurationId: agentId,
  messageId,
  step: z.int().describe("Step of the turn, from 0").meta({ example: 0 }),
};

const callBegins: Action = {
  type: "tool_action",
  id: 1,
  sId: "act_8hJ3kQ5vXz",
  createdAt: 1780000000000,
  updatedAt: 1780000000000,
  mcpServerId: null,
  internalMCPServerName: null,
  toolName: "orders",
  agentMessageId: 2,
  functionCallName: "orders",
  functionCallId: "call_8Zq2LxVn",
  status: "running",
  params: { orderId: "1042" },
  step: 0,
  executionDurationMs: null,
  citationsAllocated: 0,
  output: null,
  generatedFiles: [],
  displayLabels: null,
};

/** Events that end an agent message: each is the last of its log. */
export const TerminalMessageEvent = z.discriminatedUnion("type", [
  z.object({
    type: eventType("agent_message_success"),
    ...step,
    message: AgentMessage.describe("The whole answer"),
    runIds: z.array(z.string()).describe("Always empty"),
  }),
  z.object({
    type: eventType("agent_error"),
    ...step,
    error: AgentError.describe("Why the answer failed").meta({
      example: { code: "provider_error", message: "The model provider failed", metadata: null },
    }),
  }),
  z.object({ type: eventType("agent_generation_cancelled"), ...step }),
]);

/** A soft budget that is used up. */
export const ReachedBudget = z.object({
  budgetId: z.string().describe("The budget").meta({ example: "bgt_9fK2mQ7xYz" }),
  scope: z
    .string()
    .describe("What it counts for: server, workspace, api_key, agent, user or conversation")
    .meta({ example: "workspace" }),
  endsAt: z
    .number()
    .nullable()
    .describe("When its period ends; null if it has no end")
    .meta({ example: 1780272000000 }),
});
export type ReachedBudget = z.infer<typeof ReachedBudget>;

/** The conversation in which an agent works on the task of a call. */
export const TaskReference = z.object({
  conversationId: z.string().describe("Its conversation").meta({ example: "Qm3xT8kLp0" }),
  messageId: z.string().describe("The answer, which has events").meta({ example: "Zt5bN1cVw7" }),
  agentId: z.string().describe("The agent that works on it").meta({ example: "researcher" }),
  agentName: z.string().describe("Name of the agent").meta({ example: "Researcher" }),
});
export type TaskReference = z.infer<typeof TaskReference>;

/** An event of a task, in the stream of the answer that it comes from; no log has it. */
export const TaskEvent = z.object({
  type: eventType("agent_task_event"),
  ...step,
  task: TaskReference.describe("The task whose event it is"),
  eventId: z.string().describe("Number of the event in its own stream").meta({ example: "3" }),
  event: z
    .looseObject({
      type: z.string().describe("Kind of event").meta({ example: "generation_tokens" }),
    })
    .describe("The event, as the task's own stream has it")
    .meta({ example: { type: "generation_tokens", text: "Oslo" } }),
});

/** Events of one version of an agent message. */
export const MessageEvent = z.discriminatedUnion("type", [
  z.object({
    type: eventType("generation_tokens"),
    ...step,
    text: z.string().describe("The new text").meta({ example: "You said: " }),
    classification: z
      .enum(["tokens", "chain_of_thought", "opening_delimiter", "closing_delimiter"])
      .describe("What the text is"),
  }),
  z.object({
    type: eventType("tool_params"),
    ...step,
    action: Action.describe("The call that begins").meta({ example: callBegins }),
  }),
  ToolApproval.extend({ step: step.step }),
  ToolQuestion.extend({ step: step.step }),
  ToolAuthorizationRequired.extend({ step: step.step }),
  ToolOutputRequired.extend({ step: step.step }),
  z.object({
    type: eventType("agent_action_success"),
    ...step,
    action: Action.describe("The call with its output").meta({
      example: {
        ...callBegins,
        status: "succeeded",
        executionDurationMs: 12,
        output: [{ type: "text", text: "Shipped" }],
      },
    }),
  }),
  z.object({
    type: eventType("agent_message_notes"),
    ...step,
    notes: z.array(PromptNote).describe("What the model was not given as it was sent"),
  }),
  z.object({
    type: eventType("agent_message_fallback"),
    ...step,
    ...ModelPair.shape,
    passedOver: z
      .array(
        z.object({
          ...ModelPair.shape,
          reason: z
            .string()
            .describe("Code of its failure, or `circuit_open` if it was not asked")
            .meta({ example: "provider_unavailable" }),
        }),
      )
      .describe(
        "The models that gave way, in order; empty if the agent's own may no longer be used",
      ),
  }),
  z.object({
    type: eventType("agent_message_budget"),
    ...step,
    budgets: z
      .array(ReachedBudget)
      .describe("The soft budgets that a call found used up, each once in its period"),
  }),
  z.object({
    type: eventType("agent_message_citations"),
    ...step,
    callId: z
      .string()
      .describe("The call that found the parts")
      .meta({ example: "act_Pt6Wc2Rk9D" }),
    citations: z.array(Citation).describe("The parts of documents that the model was given"),
  }),
  z.object({
    type: eventType("agent_task_started"),
    ...step,
    actionId: z.string().describe("The call that asks").meta({ example: "act_8hJ3kQ5vXz" }),
    task: TaskReference.describe("The conversation that works on it"),
  }),
  z.object({
    type: eventType("agent_task_call_decided"),
    ...step,
    actionId: z
      .string()
      .describe("The call of a task, which was announced here")
      .meta({ example: "act_Wm3Hc8Yp1J" }),
    status: Action.shape.status
      .describe("What has become of it: running once it is approved")
      .meta({ example: "running" }),
  }),
  TaskEvent,
  ...TerminalMessageEvent.options,
]);
export type MessageEvent = z.infer<typeof MessageEvent>;
