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
import {
  type BlockedAction,
  MAX_EARLIER_DECISIONS,
  MAX_REQUEST_CHARACTERS,
  type TaskPath,
} from "@parley/schema";
import { and, asc, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { reachesConversation, requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import { callStatus } from "./call-states.ts";
import { taskPath } from "./task-path.ts";
import { renderWaitingCalls, type WaitingCall } from "./waiting-calls.ts";

/** Calls in the list of a conversation. */
const MAX_LISTED = 1000;

/** Lists the tool calls of a conversation, and of the tasks below it, that wait for their users, the oldest first. */
export async function listBlockedActions(
  context: Context,
  input: { cId: string },
): Promise<{ blockedActions: BlockedAction[] }> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, input.cId);
  const rows = await selectBlocked(db)
    .where(and(isBelow(conversation.id), isBlocked()))
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

/** What the tool of a server, or the function, of a call does. */
const described = sql<string | null>`coalesce(
  (select t ->> 'description' from jsonb_array_elements(${tools.server} -> 'tools') t
    where t ->> 'name' = ${actions.toolName} limit 1),
  (select v.description from sandbox_functions f
    join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
    where ${actions.mcpServerId} is null and f.workspace_id = ${actions.workspaceId}
      and f.slug = ${actions.toolName})
)`;

/** Messages in which earlier decisions are looked for. */
const NEWEST_MESSAGES = 100;

type EarlierDecisions = BlockedAction["earlierDecisions"];

const earlierDecisions = sql<EarlierDecisions | null>`(
  select json_agg(json_build_object('decision', e.decision, 'by', e.decided ->> 'by',
    'at', (e.decided ->> 'at')::float8) order by e.id desc)
  from (
    select x.id, x.decision, x.decided
    from (
      select n.id from messages n where n.conversation_id = ${conversations.id}
      order by n.rank desc limit ${sql.raw(String(NEWEST_MESSAGES))}
    ) newest
    join actions x on x.message_id = newest.id
    where x.tool_name = ${actions.toolName}
      and x.mcp_server_id is not distinct from ${actions.mcpServerId}
      and x.decision is not null and x.decided is not null
    order by x.id desc limit ${sql.raw(String(MAX_EARLIER_DECISIONS))}
  ) e
)`;

interface BlockedRow extends WaitingCall {
  readonly request: {
    readonly messageId: string | null;
    readonly content: string | null;
    readonly isCut: boolean | null;
    readonly username: string | null;
    readonly userName: string | null;
  } | null;
  readonly earlierDecisions: EarlierDecisions | null;
  readonly toolDescription: string | null;
}

function isBlocked() {
  return and(eq(messages.status, "created"), waitsForPerson(sql`${actions.status}`));
}

/** Whether a message is of a conversation, or of a task below it. */
function isBelow(conversationId: number) {
  return sql`${messages.conversationId} = any(array(
    select ${conversationId}::bigint union all
    select below.id from conversations below where below.root_id = ${conversationId}))`;
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
        path: sql<TaskPath | null>`case when ${conversations.rootId} is not null then ${taskPath(sql`${messages.sid}`)} end`,
        request: {
          messageId: asked.sid,
          content: sql<
            string | null
          >`left(${asked.content}, ${sql.raw(String(MAX_REQUEST_CHARACTERS))})`,
          isCut: sql<boolean>`length(${asked.content}) > ${sql.raw(String(MAX_REQUEST_CHARACTERS))}`,
          username: sql<string | null>`${asked.context} ->> 'username'`,
          userName: users.fullName,
        },
        earlierDecisions,
        toolDescription: described,
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

function render(rows: readonly BlockedRow[]): BlockedAction[] {
  return renderWaitingCalls(rows).map((one, index) => {
    const shown = { ...one, ...renderDetails(rows[index]!) };
    switch (shown.type) {
      case "tool_ask_user_question":
        return { ...shown, status: callStatus.needsAnswer };
      case "tool_personal_auth_required":
        return { ...shown, status: callStatus.needsPermission };
      case "tool_approve_execution":
        return { ...shown, status: callStatus.needsApproval };
      default:
        return shown satisfies never;
    }
  });
}

function renderDetails({
  request,
  earlierDecisions: earlier,
  toolDescription,
}: BlockedRow): Pick<BlockedAction, "request" | "earlierDecisions" | "toolDescription"> {
  const { messageId = null, content = null, isCut, username, userName } = request ?? {};
  return {
    ...(messageId !== null &&
      content !== null && {
        request: {
          messageId,
          content,
          isCut: isCut ?? false,
          username: username ?? "",
          userName: userName ?? "",
        },
      }),
    ...(earlier && { earlierDecisions: earlier }),
    ...(toolDescription !== null && toolDescription !== "" && { toolDescription }),
  };
}
