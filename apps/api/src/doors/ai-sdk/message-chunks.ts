import { type Action, type AgentMessage, type MessageEvent, waitingOf } from "@parley/schema";
import type { UIMessageChunk } from "ai";
import { readOutput } from "./page-outputs.ts";

/** What the first chunk of an answer says of it beside its id. */
export interface AnswerMetadata {
  readonly conversationId: string;
}

/** A chunk of the UI message stream, version 1. */
export type Chunk = UIMessageChunk<AnswerMetadata>;

/** What a page needs to send a person to where a tool is allowed, as the part `data-permission`. */
interface Permission {
  /** The tool, whose `toolAuthorizations.start` has the page on which the user allows it. */
  readonly toolId: string;
  readonly toolName: string;
  readonly message: string;
}

/** Turns the events of one answer into chunks, each event once and in order. */
export interface ChunkEncoder {
  /** The chunks before the first event. */
  readonly begin: () => readonly Chunk[];
  /** The chunks of an event: the same ones whenever the log is read. */
  readonly encode: (event: MessageEvent, seq: number) => readonly Chunk[];
  /**
   * The calls for which the chunks up to here ask for a decision, or for the output of the page's own tool. While
   * there are some, a stream ends: only between streams does the AI SDK send what was decided, and outputs.
   */
  readonly undecided: () => readonly string[];
}

/** The chunk that ends a stream where its calls wait for what the page sends. */
export const pauseChunk: Chunk = { type: "finish", finishReason: "tool-calls" };

/** Makes the encoder of an answer's log, for a stream that reads it from its first event. */
export function createChunkEncoder(answer: {
  readonly conversationId: string;
  readonly messageId: string;
}): ChunkEncoder {
  const { conversationId, messageId } = answer;
  let currentStep: number | undefined;
  let open: { kind: "text" | "reasoning"; id: string } | undefined;
  /** The calls that wait for a person or for the page, and for what. */
  const waiting = new Map<string, "approval" | "question" | "permission" | "output">();
  /** The calls of the page's own tools. */
  const ofPage = new Set<string>();
  /** Whether all of their step are known. */
  let isWhole = false;
  /** Those of them that the chunks ask about. */
  const asked = new Set<string>();

  /** The chunk of an event that only adds to the text that is open, as most do. */
  function append(event: MessageEvent): readonly Chunk[] | undefined {
    if (event.type !== "generation_tokens" || event.step !== currentStep) return undefined;
    if (open === undefined || open.kind !== kindOf(event)) return undefined;
    return [{ type: `${open.kind}-delta`, id: open.id, delta: event.text }];
  }

  function* start(step: number): Generator<Chunk> {
    if (step === currentStep) return;
    yield* close();
    if (currentStep !== undefined) yield { type: "finish-step" };
    yield { type: "start-step" };
    currentStep = step;
  }

  function* close(): Generator<Chunk> {
    if (open !== undefined) yield { type: `${open.kind}-end`, id: open.id };
    open = undefined;
  }

  function* write(kind: "text" | "reasoning", delta: string, seq: number): Generator<Chunk> {
    if (open?.kind !== kind) {
      yield* close();
      // The number of an event is unique in its answer.
      open = { kind, id: `${kind}-${seq}` };
      yield { type: `${kind}-start`, id: open.id };
    }
    yield { type: `${kind}-delta`, id: open.id, delta };
  }

  function* wait(event: Parameters<typeof waitingOf>[0]): Generator<Chunk> {
    const found = waitingOf(event);
    if (found === undefined) return;
    const { kind, call } = found;
    waiting.set(call.actionId, kind);
    isWhole = call.isLastBlockingEventForStep !== false;
    if (kind !== "permission") return;
    // An approved call may turn out to need its user's permission.
    yield* respond(call.actionId, true);
    const { mcpServerId: toolId, toolName } = call.metadata;
    const data: Permission = { toolId, toolName, message: call.authError.message };
    yield { type: "data-permission", id: call.actionId, data };
  }

  function* respond(approvalId: string, approved: boolean): Generator<Chunk> {
    if (asked.delete(approvalId)) yield { type: "tool-approval-response", approvalId, approved };
  }

  function* settle(action: Action): Generator<Chunk> {
    waiting.delete(action.sId);
    if (ofPage.has(action.sId)) {
      asked.delete(action.sId);
      yield outputChunk(action);
      return;
    }
    yield* respond(action.sId, action.status !== "denied");
    yield resultChunk(action);
  }

  /** A chat sends decisions only once no other call of the step runs: questions are answered before. */
  function* ask(): Generator<Chunk> {
    const kinds = new Set(waiting.values());
    if (!isWhole || kinds.has("question")) return;
    if (!kinds.has("approval") && !kinds.has("output")) return;
    // A call that waits for permission is asked about too: without a decision of its own, none would be sent.
    for (const [id, kind] of waiting) {
      if (asked.has(id)) continue;
      asked.add(id);
      if (kind !== "output")
        yield { type: "tool-approval-request", approvalId: id, toolCallId: id };
    }
  }

  function* end(): Generator<Chunk> {
    waiting.clear();
    asked.clear();
    yield* close();
  }

  function* chunksOf(event: MessageEvent, seq: number): Generator<Chunk> {
    switch (event.type) {
      case "generation_tokens": {
        const kind = kindOf(event);
        if (kind !== undefined) yield* write(kind, event.text, seq);
        break;
      }
      case "tool_params":
        yield* close();
        if (event.action.status === "blocked_client_output_required") ofPage.add(event.action.sId);
        yield callChunk(event.action, { isOfPage: ofPage.has(event.action.sId) });
        break;
      case "tool_approve_execution":
      case "tool_ask_user_question":
      case "tool_personal_auth_required":
        yield* wait(event);
        break;
      case "agent_action_success":
        yield* settle(event.action);
        break;
      case "tool_output_required":
        waiting.set(event.actionId, "output");
        isWhole = event.isLastBlockingEventForStep !== false;
        break;
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
      case "agent_message_citations":
      case "agent_task_started":
        break;
      case "agent_message_success":
        yield* end();
        if (event.message.structuredOutput !== undefined) {
          yield { type: "data-structured-output", data: event.message.structuredOutput };
        }
        yield { type: "finish-step" };
        yield { type: "finish", finishReason: toChatReason(event.message) };
        break;
      case "agent_error":
        yield* end();
        yield { type: "error", errorText: event.error.message };
        break;
      case "agent_generation_cancelled":
        yield* end();
        yield { type: "abort", reason: "The answer was cancelled" };
        break;
      default:
        event satisfies never;
    }
  }

  return {
    begin: () => [{ type: "start", messageId, messageMetadata: { conversationId } }],
    encode: (event, seq) =>
      append(event) ?? [...start(event.step), ...chunksOf(event, seq), ...ask()],
    undecided: () => [...asked],
  };
}

type Tokens = Extract<MessageEvent, { type: "generation_tokens" }>;

function kindOf({ classification }: Tokens): "text" | "reasoning" | undefined {
  if (classification === "tokens") return "text";
  return classification === "chain_of_thought" ? "reasoning" : undefined;
}

/** An answer that is withheld fails, and one that is empty has ended of itself. */
function toChatReason({ finishReason }: Pick<AgentMessage, "finishReason">): "length" | "stop" {
  return finishReason === "length" ? "length" : "stop";
}

/** A call of a tool that the page has is one of those that it knows by name, and runs. */
function callChunk(
  { sId: toolCallId, toolName, params: input }: Action,
  { isOfPage }: { readonly isOfPage: boolean },
): Chunk {
  const call = { type: "tool-input-available", toolCallId, toolName, input } as const;
  return isOfPage ? call : { ...call, dynamic: true, providerExecuted: true };
}

/** The output that the page has sent, as it had it. */
function outputChunk(action: Action): Chunk {
  const { sId: toolCallId, status, output } = action;
  if (status !== "succeeded") return resultChunk(action);
  return { type: "tool-output-available", toolCallId, output: readOutput(output) };
}

function resultChunk({ sId: toolCallId, status, output }: Action): Chunk {
  if (status === "denied") return { type: "tool-output-denied", toolCallId };
  if (status === "succeeded") return { type: "tool-output-available", toolCallId, output };
  return { type: "tool-output-error", toolCallId, errorText: errorTextOf(output) };
}

/** What a call that failed has put out, which is MCP content: functions put out one text. */
export function errorTextOf(output: Action["output"]): string {
  const [first] = (output ?? []) as { text?: string }[];
  return first?.text ?? "The call did not end";
}
