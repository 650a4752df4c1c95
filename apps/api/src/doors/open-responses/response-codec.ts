import type { MessageEvent } from "@parley/schema";
import type { EventCodec, Frame } from "../event-codec.ts";
import { withNumber } from "../json-templates.ts";
import { createOutput, type OutputEvent, type OutputItem } from "./output-items.ts";
import type { ResponsePlace } from "./response-ids.ts";

/** How a response ended, or that it has not. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  readonly incompleteReason?: "max_output_tokens" | "content_filter";
  readonly error?: { readonly code: string; readonly message: string };
  /** When it ended, in milliseconds. */
  readonly endedAt?: number;
  /** The first and the last step of the turn that it has. */
  readonly steps?: { readonly first: number; readonly last: number };
}

/** The resource of a response as of a state and its output. */
export type DescribeResponse = (state: ResponseState, output: readonly OutputItem[]) => object;

export interface ResponseCodec extends EventCodec<MessageEvent> {
  readonly state: () => ResponseState;
  readonly output: () => readonly OutputItem[];
  /** The number of the next event. */
  readonly next: () => number;
  /** How often the answer has waited for its caller so far, the end of the response included. */
  readonly waits: () => number;
  /** The calls of the caller's tools, and those that wait for approval, with which the response ended. */
  readonly waiting: () => readonly string[];
  /** Where a call of a task that waits for approval is decided; undefined for the answer's own. */
  readonly placeOf: (
    actionId: string,
  ) => { readonly cId: string; readonly mId: string } | undefined;
  /** The last frame, once it has ended. */
  end(response: object): readonly Frame[];
}

/** A response, or all of an answer. */
type Shown = Omit<ResponsePlace, "segment"> & { readonly segment: number | "all" };

/**
 * The events of an answer as those of one of its responses: each ends where the answer waits for its caller, for
 * outputs of the caller's tools or for approvals, and the next one begins after it.
 */
export function createResponseCodec(
  place: Shown,
  describe: DescribeResponse = () => ({}),
): ResponseCodec {
  let state: ResponseState = { status: "in_progress" };
  let segment = 0;
  let waits = 0;
  let earlierItems = 0;
  let output = createOutput(place, 0);
  let sequence = 0;
  let steps: ResponseState["steps"];
  const ofCaller = new Set<string>();
  const ofTasks = new Map<string, { readonly cId: string; readonly mId: string }>();
  let waiting: string[] = [];
  const isShown = () => place.segment === "all" || segment === place.segment;

  const frame = (event: OutputEvent): Frame => ({
    event: event.type,
    data: withNumber(event, "sequence_number", sequence++),
  });
  const show = (events: readonly OutputEvent[]): Frame[] => (isShown() ? events.map(frame) : []);

  function wait(actionId: string, isLast: boolean, created: number): void {
    waiting.push(actionId);
    if (!isLast) return;
    waits++;
    if (place.segment === "all") return;
    if (isShown()) {
      state = { status: "completed", endedAt: created, ...(steps && { steps }) };
      return;
    }
    segment++;
    earlierItems += output.items.length;
    output = createOutput(place, earlierItems);
    waiting = [];
    steps = undefined;
  }

  function ended(given: ResponseState, created: number): Frame[] {
    const frames = show(output.close());
    // One that waited for what its answer did not wait for any more ends with the answer.
    if (place.segment !== "all") segment = place.segment;
    state = { ...given, endedAt: created, ...(steps && { steps }) };
    return frames;
  }

  function encode(event: MessageEvent): Frame[] {
    if (event.step !== steps?.last) {
      steps = { first: steps?.first ?? event.step, last: event.step };
    }
    switch (event.type) {
      case "generation_tokens":
        if (event.classification === "tokens") return show(output.write("msg", event.text));
        if (event.classification === "chain_of_thought")
          return show(output.write("rs", event.text));
        return [];
      case "tool_params":
        // A call of the caller's tool is shown by the event that says so.
        if (event.action.status === "blocked_client_output_required") {
          ofCaller.add(event.action.sId);
          return [];
        }
        // One that waits for approval begins once it has that.
        if (event.action.status === "blocked_validation_required") return [];
        return show(output.beginCall(event.action));
      case "agent_action_success":
        // Its output is the caller's own input.
        if (ofCaller.has(event.action.sId)) return [];
        return show(output.endCall(event.action));
      case "tool_output_required": {
        const frames = show(output.requireOutput(event));
        wait(event.actionId, event.isLastBlockingEventForStep !== false, event.created);
        return frames;
      }
      case "tool_approve_execution": {
        if (event.path !== undefined) {
          ofTasks.set(event.actionId, { cId: event.conversationId, mId: event.messageId });
        }
        const frames = show(output.requestApproval(event));
        wait(event.actionId, event.isLastBlockingEventForStep !== false, event.created);
        return frames;
      }
      case "agent_message_success":
        return ended(ofFinish(event.message.finishReason), event.created);
      case "agent_error":
        return ended({ status: "failed", error: toResponseError(event.error) }, event.created);
      case "agent_generation_cancelled":
        return ended({ status: "cancelled" }, event.created);
      case "tool_ask_user_question":
      case "tool_personal_auth_required":
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
      case "agent_message_citations":
      case "agent_task_started":
      case "agent_task_call_decided":
      case "agent_task_event":
        return [];
      default:
        // A newer process may have written others.
        event satisfies never;
        return [];
    }
  }

  const resource = () => describe(state, output.items);
  return {
    begin: () => {
      const response = resource();
      return [
        frame({ type: "response.created", response }),
        frame({ type: "response.in_progress", response }),
      ];
    },
    encode,
    get isEnded() {
      return state.status !== "in_progress";
    },
    state: () => state,
    output: () => output.items,
    next: () => sequence,
    waits: () => waits,
    waiting: () => waiting,
    placeOf: (actionId) => ofTasks.get(actionId),
    end: (response) => {
      const type = state.status === "cancelled" ? "incomplete" : state.status;
      return [frame({ type: `response.${type}`, response })];
    },
  };
}

function ofFinish(reason: string | null | undefined): ResponseState {
  if (reason === "length") return { status: "incomplete", incompleteReason: "max_output_tokens" };
  if (reason === "content_filter") {
    return { status: "incomplete", incompleteReason: "content_filter" };
  }
  return { status: "completed" };
}

function toResponseError({ code, message }: { code: string; message: string }) {
  return { code: code === "budget_exceeded" ? "insufficient_quota" : code, message };
}
