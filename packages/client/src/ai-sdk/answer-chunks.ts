import type { Action, MessageEvent, ToolApproval } from "@parley/schema";
import type { UIMessageChunk } from "ai";
import type { Follower } from "../follow.ts";
import { type ChatMetadata, errorTextOf } from "./ui-messages.ts";

/** A chunk of a stream that `useChat` reads. */
export type Chunk = UIMessageChunk<ChatMetadata>;

interface AnswerStream {
  readonly conversationId: string;
  readonly messageId: string;
  /** Where an earlier stream of the answer was left; undefined for the whole answer. */
  readonly continueAfter: ChatMetadata["continueAfter"];
  /** Those of some calls that still wait for approval. */
  readonly stillWaiting: (approvals: readonly ToolApproval[]) => Promise<readonly ToolApproval[]>;
}

/**
 * Yields an answer as chunks for `useChat`, to its end or to where calls wait for approval: only between
 * streams does `useChat` send what a person has decided.
 */
export async function* answerChunks(
  events: Follower<MessageEvent>,
  { conversationId, messageId, continueAfter, stillWaiting }: AnswerStream,
): AsyncGenerator<Chunk, void, undefined> {
  const metadata = { conversationId };
  let currentStep = continueAfter?.step;
  let open: { kind: "text" | "reasoning"; id: string } | undefined;
  let asked: ToolApproval[] = [];
  /** Whether all calls of the step that wait for a person are known. */
  let isWhole = false;
  /** Calls that wait for an answer of their user. */
  const questions = new Set<string>();

  function* close(): Generator<Chunk> {
    if (open !== undefined) yield { type: `${open.kind}-end`, id: open.id };
    open = undefined;
  }

  function* write(kind: "text" | "reasoning", delta: string): Generator<Chunk> {
    if (open?.kind !== kind) {
      yield* close();
      // The id of an event is unique in its answer.
      open = { kind, id: `${kind}-${events.lastEventId}` };
      yield { type: `${kind}-start`, id: open.id };
    }
    yield { type: `${kind}-delta`, id: open.id, delta };
  }

  if (continueAfter === undefined) {
    yield { type: "start", messageId, messageMetadata: metadata };
  }
  for await (const event of events) {
    const { step } = event;
    if (step !== currentStep) {
      yield* close();
      if (currentStep !== undefined) yield { type: "finish-step" };
      yield { type: "start-step" };
      currentStep = step;
    }
    switch (event.type) {
      case "generation_tokens":
        if (event.classification === "tokens") yield* write("text", event.text);
        if (event.classification === "chain_of_thought") yield* write("reasoning", event.text);
        break;
      case "tool_params":
        yield* close();
        yield callChunk(event.action);
        break;
      case "tool_approve_execution":
        asked.push(event);
        isWhole = event.isLastBlockingEventForStep !== false;
        break;
      case "tool_ask_user_question":
        questions.add(event.actionId);
        isWhole = event.isLastBlockingEventForStep !== false;
        break;
      case "agent_action_success":
        yield resultChunk(event.action);
        questions.delete(event.action.sId);
        break;
      case "agent_message_success":
        yield* close();
        yield { type: "finish-step" };
        yield { type: "finish", finishReason: "stop" };
        break;
      case "agent_error":
        yield* close();
        yield { type: "error", errorText: event.error.message };
        break;
      case "agent_generation_cancelled":
        yield* close();
        yield { type: "abort", reason: "The answer was cancelled" };
        break;
    }
    // A chat sends decisions only once no other call of the step runs: questions are answered meanwhile.
    if (asked.length === 0 || !isWhole || questions.size > 0) continue;
    // They may be decided already: by somebody else, or before the page was loaded again.
    const waiting = await stillWaiting(asked);
    asked = [];
    for (const { actionId } of waiting) {
      yield { type: "tool-approval-request", approvalId: actionId, toolCallId: actionId };
    }
    if (waiting.length === 0) continue;
    const left = { lastEventId: events.lastEventId, step };
    const messageMetadata = { ...metadata, continueAfter: left };
    yield { type: "finish", finishReason: "tool-calls", messageMetadata };
    return;
  }
}

function callChunk({ sId: toolCallId, toolName, params: input }: Action): Chunk {
  const whereItRuns = { dynamic: true, providerExecuted: true };
  return { type: "tool-input-available", toolCallId, toolName, input, ...whereItRuns };
}

function resultChunk(action: Action): Chunk {
  const { sId: toolCallId, status, output } = action;
  if (status === "denied") return { type: "tool-output-denied", toolCallId };
  if (status === "succeeded") return { type: "tool-output-available", toolCallId, output };
  return { type: "tool-output-error", toolCallId, errorText: errorTextOf(action) };
}
