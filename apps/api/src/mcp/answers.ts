import type { CallToolResult } from "@modelcontextprotocol/server";
import { followLog } from "@parley/core";
import {
  type AgentMessage,
  FinishReason,
  type MessageEvent,
  type SpecifiedConversation,
  waitingOf,
  type WaitingCall,
} from "@parley/schema";
import * as z from "zod";
import { failure } from "./errors.ts";
import type { McpExchange } from "./exchange.ts";
import type { Progress } from "./progress.ts";

/** An agent's message, also as the specified operations show it. */
type SomeAgentMessage =
  | AgentMessage
  | Extract<SpecifiedConversation["content"][number][number], { type: "agent_message" }>;

/** The state of an agent's message. */
export interface Answer {
  readonly messageId: string;
  readonly status: AgentMessage["status"];
  readonly content: string;
  /** The value of an answer in a format; undefined for text. */
  readonly structuredOutput?: unknown;
  /** Why it ended. */
  readonly finishReason?: AgentMessage["finishReason"];
  /** Why it failed. */
  readonly error?: string | undefined;
  /** What it waits for, if a person has to decide or to answer. */
  readonly waitsFor?: string | undefined;
}

/** How long a person has before a call that waits for one returns: the client may be that person's. */
const PERSON_MS = 1000;

/** What tools that answer return as structured content. */
export const AnswerOutput = z.object({
  conversationId: z.string().describe("Id of the conversation, to continue it"),
  messageId: z.string().describe("Id of the agent's message"),
  status: z
    .enum(["created", "succeeded", "failed", "cancelled"])
    .describe("created: the answer is not finished; continue with conversation__read"),
  url: z.string().describe("Page of the conversation"),
  answer: z.string().describe("The text of the answer so far"),
  structuredOutput: z
    .unknown()
    .optional()
    .describe("The value of a finished answer, of an agent that answers in a format"),
  finishReason: FinishReason.nullable()
    .optional()
    .describe("Why the answer ended: length means cut off at the token limit, empty means no text"),
});

/** The state of a message that was read. */
export function toAnswer(message: SomeAgentMessage): Answer {
  const { sId, status, content, error, finishReason, structuredOutput } = message;
  const reason = typeof error === "string" ? error : error?.message;
  const ended = { finishReason, structuredOutput, error: reason };
  return { messageId: sId, status, content: content ?? "", ...ended };
}

/**
 * Waits until a message has ended and gives its state then; at the limit for blocking requests, when the
 * client goes or the server shuts down, its state so far. Reports the growing text.
 */
export async function followAnswer(
  { context }: McpExchange,
  messageId: string,
  progress: Progress,
): Promise<Answer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), context.blockingTimeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  let soFar = beginReading(messageId);
  let waiting: NodeJS.Timeout | undefined;
  try {
    for await (const events of followLog(context, { logId: messageId, after: 0, signal })) {
      for (const { payload } of events) {
        // Written by this program: the log holds what `MessageEvent` describes.
        soFar = readEvent(soFar, JSON.parse(payload) as MessageEvent);
        if (soFar.answer.status !== "created") return soFar.answer;
      }
      clearTimeout(waiting);
      if (soFar.waiting.size > 0) waiting = setTimeout(() => timeout.abort(), PERSON_MS);
      const { content } = soFar.answer;
      progress.report({ progress: content.length, message: content });
    }
    const waitsFor = [...soFar.waiting.values()].join(", and for ") || undefined;
    return { ...soFar.answer, waitsFor };
  } finally {
    clearTimeout(timer);
    clearTimeout(waiting);
  }
}

/** What the events of an answer say so far. */
interface Reading {
  readonly answer: Answer;
  /** What is asked of a person, by the ids of the calls that wait for it. */
  readonly waiting: ReadonlyMap<string, string>;
}

/** An answer before its first event. */
export function beginReading(messageId: string): Reading {
  return { answer: { messageId, status: "created", content: "" }, waiting: new Map() };
}

/** Adds an event to what is known of an answer. */
export function readEvent({ answer, waiting }: Reading, event: MessageEvent): Reading {
  const become = (changed: Partial<Answer>): Reading => ({
    answer: { ...answer, ...changed },
    waiting,
  });
  switch (event.type) {
    case "generation_tokens":
      return event.classification === "tokens"
        ? become({ content: answer.content + event.text })
        : become({});
    case "tool_approve_execution":
    case "tool_ask_user_question":
    case "tool_personal_auth_required": {
      const asked = [event.actionId, describeWaiting(waitingOf(event))] as const;
      return { answer, waiting: new Map([...waiting, asked]) };
    }
    case "agent_action_success": {
      const left = [...waiting].filter(([actionId]) => actionId !== event.action.sId);
      return { answer, waiting: new Map(left) };
    }
    case "agent_message_success":
      return become(toAnswer(event.message));
    case "agent_error":
      return become({ status: "failed", error: event.error.message });
    case "agent_generation_cancelled":
      return become({ status: "cancelled" });
    case "tool_params":
    case "tool_output_required":
    case "agent_message_notes":
    case "agent_message_fallback":
    case "agent_message_budget":
    case "agent_message_citations":
    case "agent_task_started":
    case "agent_task_call_decided":
    case "agent_task_event":
      return become({});
    default:
      // A newer process may have written others.
      event satisfies never;
      return become({});
  }
}

function describeWaiting({ kind, call }: WaitingCall): string {
  switch (kind) {
    case "approval":
      return `the approval of a call of ${call.metadata.toolName}`;
    case "question":
      return `the answer to: ${call.question.question}`;
    case "permission":
      return `the user to authorize the tool ${call.metadata.mcpServerDisplayName}`;
    default:
      return kind satisfies never;
  }
}

/** The result of a tool that answers. */
export function renderAnswer(
  { context }: McpExchange,
  conversationId: string,
  { messageId, status, content, finishReason, structuredOutput, error, waitsFor }: Answer,
): CallToolResult {
  const { publicUrl, caller } = context;
  const url = `${publicUrl}/w/${caller.workspace.sid}/conversation/${conversationId}`;
  const answer: z.infer<typeof AnswerOutput> = {
    conversationId,
    messageId,
    status,
    url,
    answer: content,
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(finishReason && { finishReason }),
  };
  if (status === "failed") return failure(error ?? "The agent failed", answer);
  if (status === "cancelled") return failure("The answer was cancelled", answer);
  const text =
    status === "succeeded"
      ? content
      : `The answer is not finished${waitsFor === undefined ? "" : `, and waits for ${waitsFor}`}. ` +
        `To wait for it, call conversation__read with conversationId ${conversationId} and ` +
        `messageId ${messageId}.`;
  return { content: [{ type: "text", text }], structuredContent: answer };
}
