import {
  type Action,
  type AgentMessage,
  type MessageEvent,
  type TaskPath,
  type WaitingCall,
  waitingOf,
} from "@parley/schema";
import { callChunk, type Chunk, outputChunk, resultChunk } from "./call-chunks.ts";

/** What a page needs to send a person to where a tool is allowed, as the part `data-permission`. */
interface Permission {
  /** The tool, whose `toolAuthorizations.start` has the page on which the user allows it. */
  readonly toolId: string;
  readonly toolName: string;
  readonly message: string;
}

/** Where the call of a task is decided: the part `data-task-call`. */
interface TaskCall {
  readonly conversationId: string;
  readonly messageId: string;
}

interface Awaiting {
  readonly kind: WaitingCall["kind"] | "output";
  /** The answer that makes the call: a step of it is decided as a whole. */
  readonly of: string;
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
  /** The step that is open: one of the answer, or the calls that a task waits for. */
  let currentStep: number | string | undefined;
  let open: { kind: "text" | "reasoning"; id: string } | undefined;
  /** The calls that wait for a person or for the page, for what, and in which answer. */
  const waiting = new Map<string, Awaiting>();
  /** The calls of the page's own tools. */
  const ofPage = new Set<string>();
  /** Calls of tasks that have no result here, with the calls that have led to them. */
  const ofTasks = new Map<string, string>();
  /** The answers whose step is known as a whole. */
  const whole = new Set<string>();
  /** Those of them that the chunks ask about. */
  const asked = new Set<string>();

  /** The chunk of an event that only adds to the text that is open, as most do. */
  function append(event: MessageEvent): readonly Chunk[] | undefined {
    if (event.type !== "generation_tokens" || event.step !== currentStep) return undefined;
    if (open === undefined || open.kind !== kindOf(event)) return undefined;
    return [{ type: `${open.kind}-delta`, id: open.id, delta: event.text }];
  }

  function* start(step: number | string): Generator<Chunk> {
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
    const { actionId } = call;
    const of = call.path === undefined ? messageId : call.messageId;
    if (call.path !== undefined && !ofTasks.has(actionId)) yield* beginTaskCall(call, call.path);
    waiting.set(actionId, { kind, of });
    if (call.isLastBlockingEventForStep === false) whole.delete(of);
    else whole.add(of);
    if (kind !== "permission") return;
    // An approved call may turn out to need its user's permission.
    yield* respond(call.actionId, true);
    const { mcpServerId: toolId, toolName } = call.metadata;
    const data: Permission = { toolId, toolName, message: call.authError.message };
    yield { type: "data-permission", id: call.actionId, data };
  }

  /** A call of a task is a step of its own: a page sends what is decided about it while the task's own call runs. */
  function* beginTaskCall(
    { actionId, messageId: of, conversationId: cId, inputs, metadata }: WaitingCall["call"],
    path: TaskPath,
  ): Generator<Chunk> {
    const above = path.find((one) => one.messageId === messageId);
    ofTasks.set(actionId, above?.actionId ?? "");
    yield* start(`${of} ${above?.step}`);
    const { toolName, agentName } = metadata;
    const call = callChunk({ sId: actionId, toolName, params: inputs }, { isOfPage: false });
    yield { ...call, title: `${agentName}: ${toolName}` };
    const data: TaskCall = { conversationId: cId, messageId: of };
    yield { type: "data-task-call", id: actionId, data };
  }

  /** What is known of a call of a task once it no longer waits: its result is the task's own. */
  function* decide(actionId: string, status: string): Generator<Chunk> {
    if (!ofTasks.has(actionId) || !waiting.delete(actionId)) return;
    yield* respond(actionId, status !== "denied");
    if (status === "running") return;
    ofTasks.delete(actionId);
    yield resultChunk({ sId: actionId, status, output: [] });
  }

  /** The calls of a task that has ended with the call that asked for it. */
  function* endTask(askingId: string): Generator<Chunk> {
    for (const [actionId, by] of ofTasks) {
      if (by !== askingId) continue;
      ofTasks.delete(actionId);
      asked.delete(actionId);
      const status = waiting.delete(actionId) ? "errored" : "succeeded";
      yield resultChunk({ sId: actionId, status, output: status === "errored" ? null : [] });
    }
  }

  function* respond(approvalId: string, approved: boolean): Generator<Chunk> {
    if (asked.delete(approvalId)) yield { type: "tool-approval-response", approvalId, approved };
  }

  function* settle(action: Action): Generator<Chunk> {
    waiting.delete(action.sId);
    yield* endTask(action.sId);
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
    for (const of of whole) {
      const calls = [...waiting].filter(([, call]) => call.of === of);
      const kinds = new Set(calls.map(([, { kind }]) => kind));
      if (kinds.has("question") || !(kinds.has("approval") || kinds.has("output"))) continue;
      // A call that waits for permission is asked about too: without a decision of its own, none would be sent.
      for (const [id, { kind }] of calls) {
        if (asked.has(id)) continue;
        asked.add(id);
        if (kind !== "output")
          yield { type: "tool-approval-request", approvalId: id, toolCallId: id };
      }
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
        waiting.set(event.actionId, { kind: "output", of: messageId });
        if (event.isLastBlockingEventForStep === false) whole.delete(messageId);
        else whole.add(messageId);
        break;
      case "agent_task_call_decided":
        yield* decide(event.actionId, event.status);
        break;
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
      case "agent_message_citations":
      case "agent_task_started":
      case "agent_task_event":
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
      append(event) ?? [
        ...(isOfTask(event) ? [] : start(event.step)),
        ...chunksOf(event, seq),
        ...ask(),
      ],
    undecided: () => [...asked],
  };
}

/** Whether an event is about a task, and begins no step. */
function isOfTask(event: MessageEvent): boolean {
  return event.type === "agent_task_call_decided" || ("path" in event && event.path !== undefined);
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
