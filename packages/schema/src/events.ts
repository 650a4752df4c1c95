import type { ConversationEvent } from "./conversations/conversation-events.ts";
import { type MessageEvent, TerminalMessageEvent } from "./conversations/message-events.ts";
import { type InvocationEvent, TerminalInvocationEvent } from "./invocations/invocation-events.ts";

/** Any event of any log. */
export type LogEvent = MessageEvent | ConversationEvent | InvocationEvent;

/** Types of the events that close their log; the log of a conversation stays open. */
export const terminalTypes: ReadonlySet<string> = new Set(
  [...TerminalMessageEvent.options, ...TerminalInvocationEvent.options].map(
    ({ shape }) => shape.type.value,
  ),
);
