import type { MessageEvent } from "@parley/schema";

/** An event of a call that waits for the caller. */
export type WaitingEvent = Extract<MessageEvent, { readonly inputs: object }>;

/** Why a run ended before its answer. */
export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly toolCallId: string;
  readonly responseSchema?: object;
  readonly metadata: object;
}

const approvalSchema = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    params: { type: "object", description: "Arguments to call it with instead" },
  },
  required: ["approved"],
};

const answerSchema = {
  type: "object",
  properties: {
    selectedOptions: { type: "array", items: { type: "integer" } },
    customResponse: { type: "string" },
  },
  required: ["selectedOptions"],
};

/** The interrupt of a call that waits for a person. */
export function toInterrupt(
  event: Exclude<WaitingEvent, { type: "tool_output_required" }>,
): Interrupt {
  const { actionId, inputs, stake, metadata, path, conversationId, messageId } = event;
  const { toolName } = metadata;
  const above = path?.findLast((one) => one.conversationId === path[0]?.conversationId);
  // Of a task the run shows the call that asked for it.
  const shared = { id: actionId, toolCallId: above?.actionId ?? actionId };
  const task = path && { conversationId, messageId, agentName: metadata.agentName, path };
  if (event.type === "tool_approve_execution") {
    return {
      ...shared,
      reason: "tool_call_approval",
      message: `Allow ${toolName}?`,
      responseSchema: approvalSchema,
      metadata: { toolName, inputs, stake, ...(task && { task }) },
    };
  }
  if (event.type === "tool_ask_user_question") {
    const { question } = event;
    return {
      ...shared,
      reason: "question",
      message: question.question,
      responseSchema: answerSchema,
      metadata: { question, ...(task && { task }) },
    };
  }
  const { message, mcpServerId } = event.authError;
  return {
    ...shared,
    reason: "authorization",
    message,
    metadata: { toolName, mcpServerId, ...(task && { task }) },
  };
}
