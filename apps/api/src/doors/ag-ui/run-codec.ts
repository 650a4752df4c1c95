// The events of an answer as those of one run of AG-UI. A run ends where the answer waits for its user or for its
// application, and the next run begins after it.
import type { MessageEvent } from "@parley/schema";
import type { EventCodec, Frame } from "../event-codec.ts";
import { eventTemplate, type TypedEvent, withNumber } from "../json-templates.ts";
import { outputText } from "./output-text.ts";
import { createTasks } from "./subagents.ts";
import { type Interrupt, toInterrupt, type WaitingEvent } from "./interrupts.ts";

/** The version of the protocol that runs are declared in. */
const PROTOCOL_VERSION = "1.0";

/** An event of the protocol. */
type AgUiEvent = TypedEvent;

/** A run of an answer. */
export interface Run {
  readonly threadId: string;
  readonly runId: string;
  /** The answer. */
  readonly messageId: string;
  /** The application's state, which the run begins with; none by default. */
  readonly state?: unknown;
  /** Calls that the request has decided, or answered: the run begins after the answer waited for them. */
  readonly continues?: ReadonlySet<string>;
  /** Calls of the answer that wait now, and the number of the log's last event when that was read. */
  readonly waiting: { readonly actionIds: ReadonlySet<string>; readonly lastSeq: number };
}

/** Creates the codec of a run. */
export function createRunCodec(run: Run): EventCodec<MessageEvent> {
  const { threadId, runId, messageId, waiting, state } = run;
  const ahead = new Set(run.continues);
  const opened = createOpened(messageId);
  const interrupts: Interrupt[] = [];
  const pendingToolCallIds: string[] = [];
  const tasks = createTasks();
  let isEnded = false;
  let isResuming = ahead.size > 0;

  const finish = (members: { outcome: TypedEvent }): AgUiEvent[] => {
    isEnded = true;
    const left = tasks.leave(members.outcome.type === "interrupt");
    return [...left, ...opened.closeAll(), { type: "RUN_FINISHED", threadId, runId, ...members }];
  };

  function wait(event: WaitingEvent, seq: number): AgUiEvent[] {
    const { actionId, isLastBlockingEventForStep: isLast = true } = event;
    // A call that was decided by another way is a call like others.
    const isPast = seq <= waiting.lastSeq && !waiting.actionIds.has(actionId);
    if (!isPast) {
      if (event.type === "tool_output_required") pendingToolCallIds.push(actionId);
      else interrupts.push(toInterrupt(event));
    }
    if (!isLast || interrupts.length + pendingToolCallIds.length === 0) return [];
    if (interrupts.length > 0) return finish({ outcome: { type: "interrupt", interrupts } });
    return finish({ outcome: { type: "success", pendingToolCallIds } });
  }

  function translate(event: MessageEvent, seq: number): AgUiEvent[] {
    switch (event.type) {
      case "generation_tokens":
        if (event.text === "") return [];
        if (event.classification === "tokens") return opened.write("text", event);
        return event.classification === "chain_of_thought" ? opened.write("reasoning", event) : [];
      case "tool_params": {
        const { sId: toolCallId, functionCallName: toolCallName, params } = event.action;
        return [
          ...opened.enterStep(event.step),
          ...opened.closePart(),
          {
            type: "TOOL_CALL_START",
            toolCallId,
            toolCallName,
            parentMessageId: opened.messageIdOf(event.step),
          },
          { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(params) },
          { type: "TOOL_CALL_END", toolCallId },
        ];
      }
      case "agent_action_success": {
        const { sId: toolCallId, output } = event.action;
        return [
          ...opened.enterStep(event.step),
          ...opened.closePart(),
          ...tasks.end(event.action),
          {
            type: "TOOL_CALL_RESULT",
            messageId: `${toolCallId}.result`,
            toolCallId,
            content: outputText(output),
            role: "tool",
          },
        ];
      }
      case "tool_approve_execution":
      case "tool_ask_user_question":
      case "tool_personal_auth_required":
      case "tool_output_required":
        return wait(event, seq);
      case "agent_message_success":
        return finish({ outcome: { type: "success" } });
      case "agent_generation_cancelled":
        return finish({ outcome: { type: "cancelled" } });
      case "agent_error": {
        const { code, message } = event.error;
        isEnded = true;
        return [...tasks.leave(false), ...opened.closeAll(), { type: "RUN_ERROR", message, code }];
      }
      case "agent_task_started":
        return tasks.start(event, opened.messageIdOf(event.step));
      case "agent_task_call_decided":
      case "agent_task_event":
        return [];
      case "agent_message_notes":
      case "agent_message_fallback":
      case "agent_message_budget":
      case "agent_message_citations":
        return [{ type: "CUSTOM", name: `parley.${event.type}`, value: event }];
      default:
        // A newer process may have written others.
        event satisfies never;
        return [];
    }
  }

  /** Whether an event was of an earlier run of the answer. */
  function isEarlier(event: MessageEvent): boolean {
    if (ahead.size === 0) return false;
    if (event.type === "agent_task_started") tasks.start(event, opened.messageIdOf(event.step));
    if (event.type === "agent_action_success") tasks.end(event.action);
    if ("actionId" in event) ahead.delete(event.actionId);
    if (!isTerminal(event)) return true;
    ahead.clear();
    return false;
  }

  /** What the run begins with after the earlier ones: the tasks that they have left. */
  const resume = (event: MessageEvent): AgUiEvent[] => {
    const left = isResuming ? tasks.resume() : [];
    isResuming = false;
    return isTerminal(event) ? [] : left;
  };

  return {
    begin: () => {
      const started = { type: "RUN_STARTED", threadId, runId, protocolVersion: PROTOCOL_VERSION };
      const snapshot = { type: "STATE_SNAPSHOT", snapshot: state };
      const events = state === undefined ? [started] : [started, snapshot];
      return events.map((event) => ({ data: JSON.stringify(event) }));
    },
    encode: (event, seq) =>
      isEarlier(event)
        ? []
        : [...resume(event), ...translate(event, seq)].map((one) => frame(one, event.created)),
    get isEnded() {
      return isEnded;
    },
  };
}

const isTerminal = ({ type }: MessageEvent): boolean =>
  type === "agent_message_success" ||
  type === "agent_error" ||
  type === "agent_generation_cancelled";

const frame = (event: AgUiEvent, timestamp: number): Frame => ({
  data: withNumber(event, "timestamp", timestamp),
});

interface OpenPart {
  readonly kind: "text" | "reasoning";
  /** The event that adds to it. */
  readonly write: (delta: string) => AgUiEvent;
}

/** What an answer has open: a step, and in it at most one part, of its text or of its reasoning. */
function createOpened(messageId: string) {
  let step: number | undefined;
  let part: OpenPart | undefined;
  // The first step has the id of the answer.
  const messageIdOf = (of: number) => (of === 0 ? messageId : `${messageId}.${of}`);

  function closePart(): AgUiEvent[] {
    const id = messageIdOf(step ?? 0);
    const kind = part?.kind;
    part = undefined;
    if (kind === undefined) return [];
    if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId: id }];
    return [
      { type: "REASONING_MESSAGE_END", messageId: `${id}.reasoning` },
      { type: "REASONING_END", messageId: `${id}.reasoning` },
    ];
  }

  function closeAll(): AgUiEvent[] {
    const closed = closePart();
    if (step === undefined) return closed;
    const stepName = `step ${step}`;
    step = undefined;
    return [...closed, { type: "STEP_FINISHED", stepName }];
  }

  function enterStep(next: number): AgUiEvent[] {
    if (next === step) return [];
    const closed = closeAll();
    step = next;
    return [...closed, { type: "STEP_STARTED", stepName: `step ${next}` }];
  }

  /** Opens a part in the step that is open. */
  function openPart(kind: OpenPart["kind"], id: string): AgUiEvent[] {
    const closed = closePart();
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    part = { kind, write: eventTemplate(type, (delta) => ({ messageId: id, delta })) };
    if (kind === "text") {
      return [...closed, { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }];
    }
    return [
      ...closed,
      { type: "REASONING_START", messageId: id },
      { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
    ];
  }

  return {
    messageIdOf,
    closePart,
    closeAll,
    enterStep,
    write: (
      kind: OpenPart["kind"],
      { step: of, text }: { readonly step: number; readonly text: string },
    ): AgUiEvent[] => {
      if (of === step && part?.kind === kind) return [part.write(text)];
      const entered = enterStep(of);
      const id = messageIdOf(of) + (kind === "text" ? "" : ".reasoning");
      return [...entered, ...openPart(kind, id), part!.write(text)];
    },
  };
}
