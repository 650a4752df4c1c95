import {
  actions,
  agents,
  clientServers,
  conversations,
  messages,
  type Queryable,
  tools,
  users,
} from "@parley/db";
import type { BlockedAction } from "@parley/schema";
import { and, asc, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { reachesConversation, requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import { callStatus } from "./call-states.ts";
import { renderWaitingCalls, type WaitingCall } from "./waiting-calls.ts";

/** Calls in the list of a conversation. */
const MAX_LISTED = 1000;

/** Lists the tool calls of a conversation that wait for their users, the oldest first. */
export async function listBlockedActions(
  context: Context,
  input: { cId: string },
): Promise<{ blockedActions: BlockedAction[] }> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, input.cId);
  const rows = await selectBlocked(db)
    .where(and(eq(messages.conversationId, conversation.id), isBlocked()))
    .orderBy(asc(messages.id), asc(actions.step), asc(actions.position))
    .limit(MAX_LISTED);
  return { blockedActions: render(rows) };
}

/**
 * Lists the tool calls that wait for their users in all conversations that the caller reaches, the oldest
 * first, a page at a time.
 */
export async function listAllBlockedActions(
  context: Context,
  input: PageOf,
): Promise<{ blockedActions: BlockedAction[] } & PageEnd> {
  const { workspace } = context.caller;
  const rows = await selectBlocked(context.database.db)
    .where(
      and(
        eq(actions.workspaceId, workspace.id),
        isBlocked(),
        reachesConversation(context),
        isAfter(actions.id, input),
      ),
    )
    .orderBy(asc(actions.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ action }) => action.id);
  return { blockedActions: render(page), ...end };
}

function isBlocked() {
  return and(eq(messages.status, "created"), waitsForPerson(sql`${actions.status}`));
}

function selectBlocked(db: Queryable) {
  const asked = alias(messages, "asked");
  return (
    db
      .select({
        action: actions,
        serverName: sql<string | null>`coalesce(${tools.name}, ${clientServers.name})`,
        agent: { sid: agents.sid, name: agents.name },
        conversationId: conversations.sid,
        messageId: messages.sid,
        userId: users.sid,
      })
      .from(actions)
      // One of the two is indexed, from whichever side the list begins.
      .innerJoin(messages, and(eq(messages.sid, actions.logId), eq(messages.id, actions.messageId)))
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .innerJoin(agents, eq(agents.id, messages.agentId))
      .leftJoin(
        asked,
        and(
          eq(asked.sid, messages.parentMessageId),
          eq(asked.conversationId, messages.conversationId),
        ),
      )
      .leftJoin(users, eq(users.id, asked.userId))
      .leftJoin(tools, eq(tools.sid, actions.mcpServerId))
      .leftJoin(clientServers, eq(clientServers.sid, actions.mcpServerId))
  );
}

function render(rows: readonly WaitingCall[]): BlockedAction[] {
  return renderWaitingCalls(rows).map((one) => {
    switch (one.type) {
      case "tool_ask_user_question":
        return { ...one, status: callStatus.needsAnswer };
      case "tool_personal_auth_required":
        return { ...one, status: callStatus.needsPermission };
      case "tool_approve_execution":
        return { ...one, status: callStatus.needsApproval };
      default:
        return one satisfies never;
    }
  });
}
