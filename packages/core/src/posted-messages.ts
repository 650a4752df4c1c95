import { conversations, messages, type Queryable } from "@parley/db";
import {
  type AgentMessage,
  type ContentFragment,
  type CreateContentFragment,
  ParleyError,
  type PostedMessage,
  type PostMessage,
} from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { findActiveAgents, findAgentVersions } from "./agents.ts";
import { awaitAnswers } from "./await-answers.ts";
import { resolveFragment } from "./content-fragments.ts";
import type { Context } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { inTransactionOnce } from "./idempotency.ts";
import { insertMessages } from "./insert-messages.ts";
import { renderAgentMessage, renderContentFragment, renderUserMessage } from "./messages.ts";
import { requireModels } from "./models.ts";
import {
  announceTurn,
  buildEvents,
  buildMessages,
  emptyMessage,
  resolveMessage,
  toFiles,
} from "./new-messages.ts";
import { fileUrl, readMessages } from "./read-messages.ts";
import type { ConversationRow, MessageRow } from "./rows.ts";
import { lockConversation, requireConversation } from "./stored-conversations.ts";

/** Posts a message; the mentioned agents answer after their turns that run before it. */
export async function postMessage(
  context: Context,
  input: PostMessage & { cId: string },
): Promise<PostedMessage> {
  const { db: outside } = context.database;
  await requireConversation(outside, context, input.cId);
  const resolved = await resolveMessage(outside, context, { message: input, path: "" });
  const { user, warnings } = resolved;
  await context.admitRuns(context.caller.workspace.id, "agent_turn", resolved.agents.length);
  const ids = await context.takeRowIds(1 + resolved.agents.length);
  const made = String(ids[0]);
  const created = await inTransactionOnce(context, made, async ({ db, afterCommit }) => {
    const row = await lockConversation(db, context, input.cId);
    const rank = await nextRank(db, row);
    const position = { workspaceId: row.workspaceId, conversationId: row.id, rank };
    const skipToolsValidation = input.skipToolsValidation ?? false;
    const built = buildMessages(context, position, {
      ids,
      fragments: [],
      resolved,
      skipToolsValidation,
    });
    const rows = [built.userMessage, ...built.turns.map((turn) => turn.message)];
    await insertMessages(db, { messages: rows, files: [], turns: built.turns });
    await touch(context, db, row);
    const events = buildEvents(built, user);
    await appendEvents(db, [{ logId: row.sid, events }], afterCommit);
    if (built.turns.length > 0) {
      afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
    }
    return built;
  });
  const agentMessages = input.blocking
    ? await awaitAnswers(context, created.turns)
    : created.turns.map(({ message, agent }) => renderAgentMessage(message, agent, []));
  return {
    message: renderUserMessage(created.userMessage, user),
    agentMessages,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** Adds a content fragment behind the messages of a conversation. */
export async function addContentFragment(
  context: Context,
  input: CreateContentFragment & { cId: string },
): Promise<{ contentFragment: ContentFragment }> {
  const { db: outside } = context.database;
  await requireConversation(outside, context, input.cId);
  const fragment = await resolveFragment(outside, context, { fragment: input, path: "" });
  const [id = 0] = await context.takeRowIds(1);
  return inTransactionOnce(context, String(id), async ({ db }) => {
    const row = await lockConversation(db, context, input.cId);
    const rank = await nextRank(db, row);
    const position = { id, workspaceId: row.workspaceId, conversationId: row.id, rank };
    const message = { ...emptyMessage(context, position), ...fragment.columns };
    const files = toFiles(fragment, position);
    await insertMessages(db, { messages: [message], files, turns: [] });
    await touch(context, db, row);
    return { contentFragment: renderContentFragment(message, fileUrl(context)) };
  });
}

/**
 * Answers again: a new version of an agent message, with its own log, at the same position. Throws
 * `message_not_found`, and `invalid_request_error` for what is no answer or has not ended.
 */
export async function retryMessage(
  context: Context,
  input: { cId: string; mId: string },
): Promise<{ message: AgentMessage }> {
  await requireConversation(context.database.db, context, input.cId);
  await context.admitRuns(context.caller.workspace.id, "agent_turn", 1);
  const [id = 0] = await context.takeRowIds(1);
  return inTransactionOnce(context, String(id), async ({ db, afterCommit }) => {
    const row = await lockConversation(db, context, input.cId);
    const before = await requireRetryable(db, row, input.mId);
    const agentId = before.agentId ?? 0;
    const version = (await findAgentVersions(db, row.workspaceId, [agentId])).get(agentId);
    const sid = version?.sid ?? "";
    const agent = (await findActiveAgents(db, row.workspaceId, [sid])).get(sid);
    if (agent === undefined) throw refused("the agent is no longer active");
    requireModels(context.caller.workspace, before.modelSelection ?? undefined, [agent]);
    const message: MessageRow = {
      ...emptyMessage(context, { ...before, id }),
      version: before.version + 1,
      type: before.type,
      agentId: agent.id,
      parentMessageId: before.parentMessageId,
      status: "created",
      modelSelection: before.modelSelection,
      skipToolsValidation: before.skipToolsValidation,
    };
    const turn = { message, agent, origin: context.origin };
    await insertMessages(db, { messages: [message], files: [], turns: [turn] });
    await touch(context, db, row);
    await appendEvents(db, [{ logId: row.sid, events: [announceTurn(turn)] }], afterCommit);
    afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
    return { message: renderAgentMessage(message, agent, []) };
  });
}

async function requireRetryable(
  db: Queryable,
  conversation: ConversationRow,
  sid: string,
): Promise<MessageRow> {
  const { messages: all } = await readMessages(db, conversation.id);
  const asked = all.find((message) => message.sid === sid);
  if (asked === undefined) {
    throw new ParleyError("message_not_found", "The conversation has no such message");
  }
  if (asked.type !== "agent_message") throw refused("only an agent's message can be retried");
  const newest = all.findLast((message) => message.rank === asked.rank) ?? asked;
  if (newest.status === "created") throw refused("the agent has not ended: cancel it first");
  return newest;
}

function refused(why: string): ParleyError {
  return new ParleyError("invalid_request_error", `Invalid path parameters: mId: ${why}`);
}

async function nextRank(db: Queryable, conversation: ConversationRow): Promise<number> {
  const [last] = await db
    .select({ rank: sql<number>`coalesce(max(${messages.rank}) + 1, 0)`.mapWith(Number) })
    .from(messages)
    .where(and(eq(messages.conversationId, conversation.id)));
  return last?.rank ?? 0;
}

/** What the caller adds is not news to the caller. */
async function touch(context: Context, db: Queryable, row: ConversationRow): Promise<void> {
  await db
    .update(conversations)
    .set({ updatedAt: context.now(), readAt: context.now() })
    .where(eq(conversations.id, row.id));
}
