import { CommandError } from "@parley/command/command-error";
import { oneLine } from "@parley/command/print";
import type { Citation, MessageEvent } from "@parley/schema";

type Written = Extract<MessageEvent, { readonly type: "generation_tokens" }>;
type Failed = Extract<MessageEvent, { readonly type: "agent_error" }>;

/** Whether an event is text of an answer, or of its reasoning. */
export const isWritten = (
  event: MessageEvent,
  as: "tokens" | "chain_of_thought",
): event is Written => event.type === "generation_tokens" && event.classification === as;

/** The error of an answer that failed. */
export const answerFailed = ({ code, message }: Failed["error"]): CommandError =>
  new CommandError(`${oneLine(code)}: ${oneLine(message)}`);

/** What an event says of a tool call, in a line; undefined if it is about none. */
export function describeCall(event: MessageEvent): string | undefined {
  if (event.type === "tool_params") return `calls ${oneLine(event.action.functionCallName)}`;
  if (event.type !== "agent_action_success") return undefined;
  const { functionCallName, status } = event.action;
  const end = status === "succeeded" ? "" : `: ${oneLine(status)}`;
  return `called ${oneLine(functionCallName)}${end}`;
}

/** The events that `notesIn` reads, besides those that streams always have. */
export const withNotes = ["notes", "fallbacks", "budgets"] as const;

/** What an event says that the model was not given, and which model answers in another's place, in a line each. */
export function notesIn(event: MessageEvent): string[] {
  if (event.type === "agent_message_fallback") {
    const { providerId, modelId, passedOver } = event;
    const why = passedOver.map((one) => `${one.providerId}/${one.modelId}: ${one.reason}`);
    const gaveWay = why.length === 0 ? "" : ` (${why.join(", ")})`;
    return [oneLine(`${providerId}/${modelId} answers instead${gaveWay}`)];
  }
  if (event.type === "agent_message_budget") {
    return event.budgets.map(({ scope }) => oneLine(`a budget of the ${scope} is used up`));
  }
  if (event.type === "agent_task_started") {
    const { agentName, conversationId } = event.task;
    return [oneLine(`${agentName} works on a task: ${conversationId}`)];
  }
  if (event.type !== "agent_message_notes") return [];
  return event.notes.map(({ message }) => oneLine(message));
}

/** The parts of documents that an answer refers to, in a line each: number, title, place, and link. */
export function referencesOf({ citations = [] }: { citations?: readonly Citation[] | undefined }) {
  return citations.map(({ reference, title, headings, dataSourceName, sourceUrl }) => {
    const place = [title, ...headings.filter((heading) => heading !== title)].join(" > ");
    const link = sourceUrl === null ? "" : ` ${sourceUrl}`;
    return oneLine(`[${reference}] ${place} (${dataSourceName})${link}`);
  });
}
