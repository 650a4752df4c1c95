import * as z from "zod";
import { ConversationEvent } from "../conversations/conversation-events.ts";
import { conversationEndpoints } from "../conversations/endpoints.ts";
import { MessageEvent } from "../conversations/message-events.ts";
import { get } from "../endpoint-defaults.ts";
import type { DoorEndpoint } from "../endpoint.ts";
import { invocationEndpoints } from "../invocations/endpoints.ts";
import { InvocationEvent } from "../invocations/invocation-events.ts";
import { optional } from "../parsing/text.ts";

const read = {
  offset: optional(z.string().max(64))
    .describe(
      "Where to begin: an offset that was received, -1 for the first event, now for the end. " +
        "Required with live",
    )
    .meta({ example: "-1" }),
  live: optional(z.enum(["long-poll", "sse"])).describe(
    "How to wait at the end of the log: long-poll answers with the next events, or 204 after a " +
      "while; sse sends events until the log is closed. By default, nothing is waited for",
  ),
  cursor: optional(z.string().max(64))
    .describe("The last Stream-Cursor, or streamCursor, that was received")
    .meta({ example: "3371904" }),
};

const eventId = z.string().describe("Number of the event in its log").meta({ example: "7" });

const { "conversations.events": conversation, "messages.events": message } = conversationEndpoints;
const { "sandboxFunctions.events": invocation } = invocationEndpoints;

const door = { ...get, kind: "door", readsLog: true } as const;

/** Logs as streams of the Durable Streams protocol: its reads. */
export const durableStreamDoors = {
  "conversations.stream": {
    ...door,
    tags: ["durable streams"],
    scope: conversation.scope,
    summary: "Read a conversation's log as a Durable Stream",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/stream",
    params: conversation.params,
    query: conversation.query.extend(read),
    output: z.array(z.object({ eventId, data: ConversationEvent.describe("The event") })),
    errors: conversation.errors,
  },
  "messages.stream": {
    ...door,
    tags: ["durable streams"],
    scope: message.scope,
    summary: "Read an agent message's log as a Durable Stream",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/messages/{mId}/stream",
    params: message.params,
    // Of one log alone.
    query: message.query.extend({ ...read, include: conversation.query.shape.include }),
    output: z.array(z.object({ eventId, data: MessageEvent.describe("The event") })),
    errors: message.errors,
  },
  "sandboxFunctions.stream": {
    ...door,
    tags: ["durable streams"],
    scope: invocation.scope,
    summary: "Read an invocation's log as a Durable Stream",
    path: "/api/w/{wId}/sandbox-functions/{functionId}/invocations/{invocationId}/stream",
    params: invocation.params,
    query: invocation.query.extend(read),
    output: z.array(InvocationEvent),
    errors: invocation.errors,
  },
} as const satisfies Record<string, DoorEndpoint>;
