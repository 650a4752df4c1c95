import type { Action, AgentConfiguration, AgentMessage, WaitingCall } from "parley-client";
import type { Run } from "../src/runs/kinds.ts";
import type { Firing, Schedule } from "../src/schedules/states.ts";
import type { Trigger } from "../src/triggers/states.ts";
import type { Webhook } from "../src/webhooks/states.ts";

// Models of the server, with the members that components read; each takes the changes of a test.

type Waiting<Kind> = Extract<WaitingCall, { readonly kind: Kind }>["call"];

const asked = {
  created: 0,
  configurationId: "clerk",
  messageId: "msg_1",
  conversationId: "con_1",
  actionId: "act_1",
  inputs: { orderId: "1042" },
  stake: "low",
  metadata: { agentName: "Clerk", mcpServerName: "shop", toolName: "refund" },
} as const;

/** A call that needs approval. */
export const approvalOf = (changed: Partial<Waiting<"approval">> = {}): Waiting<"approval"> => ({
  ...asked,
  type: "tool_approve_execution",
  ...changed,
});

/** A question of an agent, with two options. */
export const questionOf = (
  changed: Partial<Waiting<"question">["question"]> = {},
): Waiting<"question"> => ({
  ...asked,
  type: "tool_ask_user_question",
  question: {
    question: "Which size?",
    options: [
      { label: "Small", description: null },
      { label: "Large", description: "Over 44" },
    ],
    multiSelect: false,
    ...changed,
  },
});

/** A call that needs the authorization of its tool. */
export const permission: Waiting<"permission"> = {
  ...asked,
  type: "tool_personal_auth_required",
  metadata: { ...asked.metadata, mcpServerId: "msv_1", mcpServerDisplayName: "shop" },
  authError: {
    mcpServerId: "msv_1",
    message: "shop can only be called for you once you allow it",
    provider: "mcp",
    toolName: "find",
  },
};

/** A call of a tool, which runs. */
export const actionOf = (changed: Partial<Action> = {}): Action => ({
  type: "tool_action",
  id: 1,
  sId: "act_1",
  createdAt: 0,
  updatedAt: 0,
  mcpServerId: "msv_1",
  internalMCPServerName: null,
  toolName: "refund",
  agentMessageId: 2,
  functionCallName: "shop__refund",
  functionCallId: "call_1",
  status: "running",
  params: { orderId: "1042" },
  step: 0,
  executionDurationMs: null,
  citationsAllocated: 0,
  output: null,
  generatedFiles: [],
  displayLabels: null,
  ...changed,
});

/** An agent that can be mentioned, with only the members that components read. */
export const agentOf = (sId: string, changed: Partial<AgentConfiguration> = {}) =>
  ({ sId, name: sId, description: "", userFavorite: false, ...changed }) as AgentConfiguration;

/** An answer that has succeeded. */
export const answerOf = (changed: Partial<AgentMessage> = {}): AgentMessage => ({
  type: "agent_message",
  id: 2,
  sId: "msg_1",
  visibility: "visible",
  version: 0,
  created: 0,
  agentMessageId: 2,
  parentMessageId: "msg_0",
  parentAgentMessageId: null,
  configuration: agentOf("clerk", { name: "Clerk" }),
  status: "succeeded",
  actions: [],
  content: "It is refunded",
  chainOfThought: null,
  rawContents: [],
  error: null,
  ...changed,
});

/** A turn that runs. */
export const runOf = (changed: Partial<Run> = {}): Run => ({
  id: "one",
  kind: "turn",
  status: "running",
  usage: null,
  function: { sId: "sfn_1", slug: "add" },
  tool: null,
  agent: null,
  conversationId: "x",
  messageId: null,
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  durationMs: null,
  attempts: 1,
  error: null,
  ...changed,
});

/** A trigger that is on. */
export const triggerOf = (changed: Partial<Trigger> = {}): Trigger => ({
  sId: "trg_1",
  name: "issues",
  description: "",
  source: { type: "github" },
  url: "https://parley.example/api/v1/w/w/triggers/signed/trg_1",
  agent: { agentId: "clerk", agentVersion: null, conversationId: null },
  function: null,
  mapping: { type: "jsonata", filter: undefined, message: "body.title" },
  keyExpression: null,
  onceBy: "the header X-GitHub-Delivery",
  eventsPerMinute: 300,
  maxBytes: 2_097_152,
  keyId: "key_1",
  disabledFor: null,
  disabledAt: null,
  lastEventAt: null,
  failingSince: null,
  previousSecretUntil: null,
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  ...changed,
});

/** A webhook that is on. */
export const webhookOf = (changed: Partial<Webhook> = {}): Webhook => ({
  sId: "whk_1",
  url: "https://shop.example/events",
  description: "The shop",
  events: ["message.succeeded"],
  conversationIds: null,
  agentIds: null,
  functionIds: null,
  sendsContent: false,
  isOrdered: false,
  includesTasks: false,
  isPulled: false,
  disabledFor: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  ...changed,
});

/** A schedule that fires every day. */
export const scheduleOf = (changed: Partial<Schedule> = {}): Schedule => ({
  sId: "sch_1",
  name: "Report",
  description: "For the morning meeting",
  agent: { agentId: "clerk", agentVersion: null, conversationId: null, message: "Write it" },
  function: null,
  cron: "0 9 * * *",
  everySeconds: null,
  timezone: "Asia/Tokyo",
  overlap: "skip",
  missed: "last",
  jitterSeconds: 0,
  keyId: "key_1",
  pausedFor: null,
  pausedAt: null,
  failingSince: null,
  nextSlot: Date.UTC(2026, 10, 30),
  lastFiring: null,
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  ...changed,
});

/** A firing that has started a conversation. */
export const firingOf = (changed: Partial<Firing> = {}): Firing => ({
  sId: "fir_1",
  scheduleId: "sch_1",
  slot: Date.UTC(2026, 10, 29),
  status: "started",
  isManual: false,
  startedAt: Date.UTC(2026, 10, 29),
  conversationId: "con_1",
  messageId: "msg_1",
  invocationId: null,
  reason: null,
  ...changed,
});
