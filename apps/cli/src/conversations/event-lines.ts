import { oneLine } from "@parley/command/print";
import type { ConversationEvent, MessageEvent } from "@parley/schema";
import { describeWaiting } from "./describe-waiting.ts";
import { describeCall, isWritten, notesIn, referencesOf } from "./read-event.ts";

/** A message is named by its beginning: the whole of it is in the transcript. */
const MAX_MESSAGE = 200;
/** Text without a line end is printed in pieces of this length. */
const MAX_LINE = 1000;

/** The line of an event of a conversation, without its time. */
export function describeConversationEvent(event: ConversationEvent): string {
  switch (event.type) {
    case "user_message_new":
      return `${event.message.user.fullName} (${event.messageId}): ${beginningOf(event.message.content)}`;
    case "agent_message_new":
      return `${event.message.configuration.name} begins to answer (${event.messageId})`;
    case "agent_message_done":
      return `${event.status === "success" ? "answered" : "did not answer"} (${event.messageId})`;
    case "conversation_compacted":
      return `messages ${event.fromRank} to ${event.toRank} are summarised (summary ${event.number})`;
    case "conversation_title":
      return `title: ${event.title}`;
    default:
      return describeWaiting(event) ?? event.type;
  }
}

/** The lines of the events of an answer, as far as they are complete, without their times. */
export interface AnswerLines {
  readonly add: (event: MessageEvent) => readonly string[];
}

/** Reads an answer line by line: its text is held until its line, or what is written before something else, ends. */
export function readAnswerLines(): AnswerLines {
  let held = "";
  const release = (): string[] => {
    const line = held;
    held = "";
    return line.trim() === "" ? [] : [line];
  };
  return {
    add: (event) => {
      if (event.type !== "generation_tokens") return [...release(), ...linesOf(event)];
      if (!isWritten(event, "tokens")) return [];
      const lines = (held + event.text).split("\n");
      held = lines.pop() ?? "";
      const whole = lines.filter((line) => line.trim() !== "");
      return held.length > MAX_LINE ? [...whole, ...release()] : whole;
    },
  };
}

function linesOf(event: Exclude<MessageEvent, { readonly type: "generation_tokens" }>): string[] {
  switch (event.type) {
    case "tool_params":
      return [`calls ${event.action.functionCallName} ${JSON.stringify(event.action.params)}`];
    case "agent_action_success":
      return [describeCall(event) ?? ""];
    case "agent_message_success":
      return [...referencesOf(event.message), "answered"];
    case "agent_error":
      return [`${event.error.code}: ${event.error.message}`];
    case "agent_generation_cancelled":
      return ["cancelled"];
    case "agent_message_citations":
      return [`was given ${event.citations.map(({ title }) => title).join(", ")}`];
    case "agent_task_call_decided":
      return [`a call of a task is ${event.status} (${event.actionId})`];
    case "agent_task_event":
      return [`${event.task.agentName}: ${event.event.type}`];
    case "agent_message_notes":
    case "agent_message_fallback":
    case "agent_message_budget":
    case "agent_task_started":
      return notesIn(event);
    default:
      return [describeWaiting(event) ?? event.type];
  }
}

function beginningOf(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE - 1)}…` : line;
}
