import { action } from "../conformance/action-shapes.ts";
import {
  agentConfiguration,
  agentMessage,
  contentFragment,
  conversationSummary,
  userMessage,
} from "../conformance/wire-shapes.ts";
import type { Shape } from "../shape.ts";

// The interface's sibling answers, written down again by hand. Sibling routes and streams show an
// agent's error as an object (section 9).

const error: Shape = { code: "string", message: "string", metadata: "object?" };

const agentMembers = (message: Record<string, unknown>, further: Record<string, Shape>) => ({
  ...agentMessage,
  error: message["error"] === null ? "null" : error,
  ...further,
});

const siblingAgentMessage: Shape = { oneOf: (message) => agentMembers(message, {}) };

const byType: Record<string, Shape> = {
  user_message: userMessage,
  agent_message: siblingAgentMessage,
  content_fragment: contentFragment,
};

export const gottenConversation: Shape = {
  conversation: {
    ...conversationSummary,
    content: [[{ oneOf: ({ type }) => byType[String(type)] ?? "unknown type" }]],
  },
};

export const conversationPage: Shape = {
  conversations: [conversationSummary],
  hasMore: "bool",
  lastValue: "string?",
};

export const success: Shape = { success: "any" };

export const postedMessage: Shape = {
  message: userMessage,
  agentMessages: [siblingAgentMessage],
  "warnings?": [{ path: "string", message: "string" }],
};

export const addedFragment: Shape = {
  contentFragment,
  "warnings?": [{ path: "string", message: "string" }],
};

export const retriedMessage: Shape = { message: siblingAgentMessage };

export const oneAgent: Shape = { agentConfiguration };

export const agentList: Shape = { agentConfigurations: [agentConfiguration] };

export const spaceList: Shape = {
  spaces: [
    {
      createdAt: "int",
      groupIds: "empty",
      isRestricted: "bool",
      kind: "regular|global|system|public|conversations|project",
      name: "string",
      sId: "string",
      updatedAt: "int",
    },
  ],
};

const enveloped = (events: Record<string, Shape>): Shape => ({
  eventId: "string",
  data: { oneOf: ({ type }) => events[String(type)] ?? `unknown type ${String(type)}` },
});

const step = { created: "ms", configurationId: "string", messageId: "string", step: "int" };

/** A tool call that waits for approval, as it is announced. */
export const approval = {
  type: "tool_approve_execution",
  created: "ms",
  configurationId: "string",
  messageId: "string",
  conversationId: "string",
  actionId: "string",
  inputs: "object",
  stake: "low|medium|high|never_ask",
  metadata: {
    agentName: "string",
    "icon?": "string",
    mcpServerName: "string",
    toolName: "string",
  },
  "userId?": "string",
  "isLastBlockingEventForStep?": "bool",
} satisfies Shape;

const question = {
  ...approval,
  type: "tool_ask_user_question",
  question: {
    question: "string",
    options: [{ label: "string", description: "string?" }],
    multiSelect: "bool",
  },
} as const;

const authorizationRequired = {
  ...approval,
  type: "tool_personal_auth_required",
  metadata: { ...approval.metadata, mcpServerId: "string", mcpServerDisplayName: "string" },
  authError: {
    mcpServerId: "string",
    message: "string",
    provider: "mcp",
    "scope?": "string",
    toolName: "string",
  },
} as const;

const { stake: _stake, metadata: _metadata, ...ofCall } = approval;
const outputRequired = {
  ...ofCall,
  type: "tool_output_required",
  functionCallId: "string",
  functionName: "string",
} satisfies Shape;

export const blockedActions: Shape = {
  blockedActions: [
    {
      ...approval,
      status: "blocked_validation_required",
      "request?": {
        messageId: "string",
        content: "string",
        isCut: "bool",
        username: "string",
        userName: "string",
      },
      "earlierDecisions?": [
        { decision: "approved|rejected|always_approved", by: "string", at: "ms" },
      ],
      "toolDescription?": "string",
    },
  ],
};

/** A frame of a message's stream. */
export const messageFrame = enveloped({
  generation_tokens: {
    type: "generation_tokens",
    ...step,
    text: "string",
    classification: "tokens|chain_of_thought|opening_delimiter|closing_delimiter",
  },
  tool_params: { type: "tool_params", ...step, action },
  tool_approve_execution: { ...approval, step: "int" },
  tool_ask_user_question: { ...question, step: "int" },
  tool_personal_auth_required: { ...authorizationRequired, step: "int" },
  tool_output_required: { ...outputRequired, step: "int" },
  agent_action_success: { type: "agent_action_success", ...step, action },
  agent_message_fallback: {
    type: "agent_message_fallback",
    ...step,
    providerId: "string",
    modelId: "string",
    passedOver: [{ providerId: "string", modelId: "string", reason: "string" }],
  },
  agent_message_budget: {
    type: "agent_message_budget",
    ...step,
    budgets: [{ budgetId: "string", scope: "string", endsAt: "ms|null" }],
  },
  agent_message_success: {
    type: "agent_message_success",
    ...step,
    message: siblingAgentMessage,
    runIds: ["string"],
  },
  agent_error: { type: "agent_error", ...step, error },
  agent_generation_cancelled: { type: "agent_generation_cancelled", ...step },
});

/** A frame of a conversation's stream. */
export const conversationFrame = enveloped({
  user_message_new: {
    type: "user_message_new",
    created: "ms",
    messageId: "string",
    message: { ...userMessage, rank: "int" },
  },
  agent_message_new: {
    type: "agent_message_new",
    created: "ms",
    configurationId: "string",
    messageId: "string",
    message: { oneOf: (message) => agentMembers(message, { rank: "int" }) },
  },
  tool_approve_execution: approval,
  tool_ask_user_question: question,
  tool_personal_auth_required: authorizationRequired,
  tool_output_required: outputRequired,
  agent_message_done: {
    type: "agent_message_done",
    created: "ms",
    conversationId: "string",
    configurationId: "string",
    messageId: "string",
    status: "success|error",
  },
  conversation_compacted: {
    type: "conversation_compacted",
    created: "ms",
    conversationId: "string",
    number: "int",
    fromRank: "int",
    toRank: "int",
    containsNumber: "int?",
    model: { providerId: "string", modelId: "string" },
    inputTokens: "int",
    outputTokens: "int",
    text: "string",
  },
  conversation_title: { type: "conversation_title", created: "ms", title: "string" },
});
