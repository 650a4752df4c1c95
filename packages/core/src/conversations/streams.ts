import { messages } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { requireConversation, unknownConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { hiddenTypes, type LogStream, type OptInTypes, streamSpace } from "../log/log-stream.ts";

/** How long a conversation's stream stays open without an event. */
const IDLE_TIMEOUT_MS = 180_000;

/** Event types that existing clients do not know, of both streams, by the `include` that asks for them. */
export const conversationOptIn: OptInTypes = {
  notes: ["agent_message_notes"],
  compaction: ["conversation_compacted"],
  fallbacks: ["agent_message_fallback"],
  budgets: ["agent_message_budget"],
  function_calls: ["tool_output_required"],
  citations: ["agent_message_citations"],
  children: ["agent_task_started", "agent_task_call_decided"],
  // No log has these.
  children_events: [],
};

const enveloped = (include: readonly string[]) =>
  ({
    hidden: hiddenTypes(conversationOptIn, include),
    enveloped: true,
    afterEnd: "terminal event",
  }) as const;

interface Included {
  /** Names of further event types; none by default. */
  readonly include?: readonly string[];
}

/** The stream of a conversation. Throws `conversation_not_found`. */
export async function findConversationStream(
  context: Context,
  { include = [], ...input }: { cId: string } & Included,
): Promise<LogStream> {
  const row = await requireConversation(context.database.db, context, input.cId);
  const space = streamSpace(row.spaceId, unknownConversation);
  return { ...enveloped(include), logId: row.sid, idleTimeoutMs: IDLE_TIMEOUT_MS, space };
}

/**
 * The stream of one version of an agent's message. Throws `conversation_not_found`,
 * `message_not_found`, and `invalid_request_error` for what is not an agent's.
 */
export async function findMessageStream(
  context: Context,
  { include = [], ...input }: { cId: string; mId: string } & Included,
): Promise<LogStream> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, input.cId);
  const [row] = await db
    .select({ sid: messages.sid, type: messages.type })
    .from(messages)
    .where(and(eq(messages.conversationId, conversation.id), eq(messages.sid, input.mId)));
  if (row === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such message");
  }
  if (row.type !== "agent_message") {
    const message = "Invalid path parameters: mId: only an agent's message has events";
    throw new ParleyError("invalid_request_error", message);
  }
  const space = streamSpace(conversation.spaceId, unknownConversation);
  const hasTasks = include.includes("children_events");
  const wanted = hasTasks ? [...include, "children"] : include;
  return { ...enveloped(wanted), logId: row.sid, space, ...(hasTasks && { hasTasks }) };
}
