import type { ToolApproval, ToolAuthorizationRequired, ToolQuestion } from "./blocked-actions.ts";
import type { MessageEvent } from "./message-events.ts";
import type { Action } from "./messages.ts";

// Imports types only: clients bundle it without the schemas.

type Asking = ToolApproval | ToolQuestion | ToolAuthorizationRequired;

interface Waiting<Kind extends string, Status extends Action["status"], Call> {
  readonly kind: Kind;
  /** The status of a call that waits like this. */
  readonly status: Status;
  readonly call: Call;
}

/** A call that waits for a person, and for what. */
export type WaitingCall =
  | Waiting<"approval", "blocked_validation_required", ToolApproval>
  | Waiting<"question", "blocked_user_answer_required", ToolQuestion>
  | Waiting<"permission", "blocked_authentication_required", ToolAuthorizationRequired>;

/**
 * What an event of an answer, or a blocked call, asks of a person; undefined for other events, also for those
 * that a newer server sends.
 */
export function waitingOf(event: Asking): WaitingCall;
export function waitingOf(event: MessageEvent): WaitingCall | undefined;
export function waitingOf(event: Asking | MessageEvent): WaitingCall | undefined {
  switch (event.type) {
    case "tool_approve_execution":
      return { kind: "approval", status: "blocked_validation_required", call: event };
    case "tool_ask_user_question":
      return { kind: "question", status: "blocked_user_answer_required", call: event };
    case "tool_personal_auth_required":
      return { kind: "permission", status: "blocked_authentication_required", call: event };
    case "generation_tokens":
    case "tool_params":
    // It waits for an application, and not for a person.
    case "tool_output_required":
    case "agent_action_success":
    case "agent_message_notes":
    case "agent_message_fallback":
    case "agent_message_budget":
    case "agent_message_citations":
    case "agent_task_started":
    case "agent_task_call_decided":
    case "agent_task_event":
    case "agent_message_success":
    case "agent_error":
    case "agent_generation_cancelled":
      return undefined;
    default:
      event satisfies never;
      return undefined;
  }
}
