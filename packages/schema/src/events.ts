import type { ConversationEvent } from "./conversations/conversation-events.ts";
import { type MessageEvent, TerminalMessageEvent } from "./conversations/message-events.ts";
import { type InvocationEvent, TerminalInvocationEvent } from "./invocations/invocation-events.ts";
import type { ClientServerEvent } from "./tools/client-servers.ts";

/** Any event of any log. */
export type LogEvent = MessageEvent | ConversationEvent | InvocationEvent | ClientServerEvent;

/** Types of the events that close their log; logs of conversations and clients' servers stay open. */
export const terminalTypes: ReadonlySet<string> = new Set(
  [...TerminalMessageEvent.options, ...TerminalInvocationEvent.options].map(
    ({ shape }) => shape.type.value,
  ),
);
