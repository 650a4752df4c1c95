import type { Action, AgentMessage, MessageEvent } from "@parley/schema";
import { type WaitingCall, waitingOf } from "@parley/schema/waiting-calls";
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
  /** Those of some calls, by their ids, that still wait for a person. */
  readonly stillWaiting: (actionIds: readonly string[]) => Promise<readonly string[]>;
}

/** What a chat is given of a call that waits for its user's permission, as the part `data-permission`. */
export interface Permission {
  /** The tool, whose `toolAuthorizations.start` has the page on which the user allows it. */
  readonly toolId: string;
  readonly toolName: string;
  readonly message: string;
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
  /** The calls of the step that wait for a person, by their ids. */
  const waiting = new Map<string, WaitingCall["kind"]>();
  /** Whether all of them are known. */
  let isWhole = false;

  function* close(): Generator<Chunk> {
    if (open !== undefined) yield { type: `${open.kind}-end`, id: open.id };
    open = undefined;
  }

  function* wait({ kind, call }: WaitingCall): Generator<Chunk> {
    waiting.set(call.actionId, kind);
    isWhole = call.isLastBlockingEventForStep !== false;
    if (kind !== "permission") return;
    const { mcpServerId: toolId, toolName } = call.metadata;
    const data: Permission = { toolId, toolName, message: call.authError.message };
    yield { type: "data-permission", id: call.actionId, data };
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
      case "tool_ask_user_question":
      case "tool_personal_auth_required":
        yield* wait(waitingOf(event));
        break;
      case "agent_action_success":
        yield resultChunk(event.action);
        waiting.delete(event.action.sId);
        break;
      case "tool_output_required":
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
        break;
      case "agent_message_success":
        yield* close();
        if (event.message.structuredOutput !== undefined) {
          yield { type: "data-structured-output", data: event.message.structuredOutput };
        }
        yield { type: "finish-step" };
        yield { type: "finish", finishReason: toChatReason(event.message) };
        break;
      case "agent_error":
        yield* close();
        yield { type: "error", errorText: event.error.message };
        break;
      case "agent_generation_cancelled":
        yield* close();
        yield { type: "abort", reason: "The answer was cancelled" };
        break;
      default:
        // A newer server may send others.
        event satisfies never;
        continue;
    }
    const kinds = new Set(waiting.values());
    // A chat sends decisions only once no other call of the step runs: questions are answered in the meantime.
    if (!isWhole || !kinds.has("approval") || kinds.has("question")) continue;
    // They may be decided already: by somebody else, or before the page was loaded again.
    const still = new Set(await stillWaiting([...waiting.keys()]));
    for (const id of waiting.keys()) if (!still.has(id)) waiting.delete(id);
    if (![...waiting.values()].includes("approval")) continue;
    // A call that waits for permission is asked about too: without a decision of its own, none would be sent.
    for (const id of waiting.keys()) {
      yield { type: "tool-approval-request", approvalId: id, toolCallId: id };
    }
    const left = { lastEventId: events.lastEventId, step };
    const messageMetadata = { ...metadata, continueAfter: left };
    yield { type: "finish", finishReason: "tool-calls", messageMetadata };
    return;
  }
}

/** An answer that is withheld fails, and one that is empty has ended of itself. */
function toChatReason({ finishReason }: Pick<AgentMessage, "finishReason">): "length" | "stop" {
  return finishReason === "length" ? "length" : "stop";
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
