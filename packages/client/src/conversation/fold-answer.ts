import type {
  Action,
  AgentMessage,
  Citation,
  ConversationMessage,
  MessageEvent,
  ToolApproval,
  ToolAuthorizationRequired,
  ToolQuestion,
} from "@parley/schema";
import { type WaitingCall, waitingOf } from "@parley/schema/waiting-calls";

/** An answer as its events so far give it. */
export interface Answer extends Waiting {
  readonly message: AgentMessage;
  /** Id of the last event that is in it; a follower continues after it. */
  readonly lastEventId: string;
}

/** The calls of an answer that wait for a person. */
export interface Waiting {
  /** Calls that wait for approval. */
  readonly approvals: readonly ToolApproval[];
  /** Questions that wait for an answer of their user. */
  readonly questions: readonly ToolQuestion[];
  /** Calls whose user has to let the tool's server be called. */
  readonly permissions: readonly ToolAuthorizationRequired[];
}

const noneWaits: Waiting = { approvals: [], questions: [], permissions: [] };

/**
 * An answer before its first event. The text, reasoning and calls of an answer that is being written are
 * all in its events, so none is taken from the message.
 */
export function beginAnswer(message: AgentMessage): Answer {
  const { notes: _notes, citations: _citations, ...begun } = message;
  const empty = { content: "", chainOfThought: null, actions: [], rawContents: [] };
  return { message: { ...begun, ...empty }, ...noneWaits, lastEventId: "0" };
}

/** A message that was posted. What has become of an answer is in its events, in their own form. */
export function asBegun<M extends ConversationMessage | PostedAnswer>(message: M) {
  if (message.type !== "agent_message") return message as Exclude<M, PostedAnswer>;
  return { ...message, status: "created" as const, error: null };
}

/** An answer as the create of a conversation responds with it. */
interface PostedAnswer extends Omit<AgentMessage, "error"> {
  readonly error: unknown;
}

/** Adds an event to an answer. Events must come once and in order. */
export function foldEvent(answer: Answer, event: MessageEvent, lastEventId: string): Answer {
  const { message } = answer;
  const change = (changed: Partial<AgentMessage>, waiting: Partial<Waiting> = {}): Answer => ({
    ...answer,
    ...waiting,
    message: { ...message, ...changed },
    lastEventId,
  });
  switch (event.type) {
    case "generation_tokens":
      if (event.classification === "tokens") {
        const rawContents = addToStep(message.rawContents, event.step, event.text);
        return change({ content: message.content + event.text, rawContents });
      }
      if (event.classification === "chain_of_thought") {
        return change({ chainOfThought: (message.chainOfThought ?? "") + event.text });
      }
      return change({});
    case "tool_params":
      return change({ actions: putAction(message.actions, event.action) });
    case "tool_approve_execution":
    case "tool_ask_user_question":
    case "tool_personal_auth_required": {
      const { actionId } = event;
      const waiting = waitingOf(event);
      const actions = message.actions.map((action) =>
        action.sId === actionId ? { ...action, status: waiting.status } : action,
      );
      return change({ actions }, addWaiting(withoutCall(answer, actionId), waiting));
    }
    case "agent_action_success": {
      const actions = putAction(message.actions, event.action);
      return change({ actions }, withoutCall(answer, event.action.sId));
    }
    case "agent_message_notes":
      return change({ notes: [...(message.notes ?? []), ...event.notes] });
    case "agent_message_citations":
      return change({ citations: addCitations(message.citations, event.citations) });
    case "tool_output_required":
    case "agent_message_fallback":
    case "agent_message_budget":
    case "agent_task_started":
    case "agent_task_event":
      return change({});
    case "agent_task_call_decided":
      return change({}, withoutCall(answer, event.actionId));
    case "agent_message_success":
      return change(event.message, noneWaits);
    case "agent_error":
      return change({ status: "failed", error: event.error }, noneWaits);
    case "agent_generation_cancelled":
      return change({ status: "cancelled" }, noneWaits);
    default:
      // A newer server may send others.
      event satisfies never;
      return change({});
  }
}

function addWaiting(waiting: Waiting, { kind, call }: WaitingCall): Waiting {
  switch (kind) {
    case "approval":
      return { ...waiting, approvals: [...waiting.approvals, call] };
    case "question":
      return { ...waiting, questions: [...waiting.questions, call] };
    case "permission":
      return { ...waiting, permissions: [...waiting.permissions, call] };
    default:
      return kind satisfies never;
  }
}

/** What waits beside a call and those of its task: it waits for something else now or not at all. */
function withoutCall({ approvals, questions, permissions }: Waiting, sId: string): Waiting {
  const isOther = ({ actionId, path }: Pick<ToolApproval, "actionId" | "path">) =>
    actionId !== sId && !path?.some((above) => above.actionId === sId);
  return {
    approvals: approvals.filter(isOther),
    questions: questions.filter(isOther),
    permissions: permissions.filter(isOther),
  };
}

/** Adds a text to that of its step; steps come in order. */
function addToStep(
  contents: AgentMessage["rawContents"],
  step: number,
  text: string,
): AgentMessage["rawContents"] {
  const last = contents.at(-1);
  if (last?.step !== step) return [...contents, { step, content: text }];
  return [...contents.slice(0, -1), { step, content: last.content + text }];
}

function putAction(actions: readonly Action[], action: Action): Action[] {
  const index = actions.findIndex(({ sId }) => sId === action.sId);
  return index === -1 ? [...actions, action] : actions.with(index, action);
}

/** Adds what a call has found; what an earlier call has found too keeps its number. */
function addCitations(before: readonly Citation[] = [], added: readonly Citation[]): Citation[] {
  const known = new Set(before.map(({ reference }) => reference));
  return [...before, ...added.filter(({ reference }) => !known.has(reference))];
}
