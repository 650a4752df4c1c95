import {
  actions,
  agents,
  apiKeys,
  conversations,
  hasRow,
  type Queryable,
  spaces,
  users,
} from "@parley/db";
import type {
  ListAllConversations,
  ListedConversation,
  ListedConversationPage,
} from "@parley/schema";
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { isListed, reachesConversation } from "../access/conversation-reach.ts";
import type { RequestContext } from "../context.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { type Place, placeOf, wasCreatedIn } from "./creation-order.ts";

/** Conversations that a page looks at if only their own rows are read for it. */
const MAX_LOOKED_AT = 50_000;
/** The same if messages of each are read. */
const MAX_LOOKED_INTO = 2000;

// Drizzle leaves out the names of tables if there is one: these are of the outer select.
const ofRow = sql`messages.conversation_id = conversations.id`;
const newestAnswer = sql`(
  select case m.status
    when 'created' then case when ${hasRow(sql`
      from ${actions} a where a.message_id = m.id and ${waitsForPerson(sql`a.status`)}`)}
      then 'blocked' else 'running' end
    when 'failed' then 'errored'
    else m.status
  end
  from messages m where m.conversation_id = conversations.id and m.type = 'agent_message'
  order by m.rank desc, m.version desc limit 1)`;
const status = sql<ListedConversation["status"]>`coalesce(${newestAnswer}, 'unanswered')`;

/**
 * Lists the conversations of a workspace that the caller reaches, the newest first, a page at a time; filters
 * look at a bounded number of conversations for a page. Throws the errors of `RunSearch` with a filter.
 */
export async function listAllConversations(
  context: RequestContext,
  input: ListAllConversations,
): Promise<ListedConversationPage> {
  const { db } = context.database;
  const { limit } = input;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const ofPlace = and(
    eq(conversations.workspaceId, workspace.id),
    isListed,
    wasCreatedIn(conversations, input),
  );
  const { agentId, title } = input;
  const isLookedInto = agentId !== undefined || input.status !== undefined;
  const maxLookedAt = isLookedInto ? MAX_LOOKED_INTO : MAX_LOOKED_AT;
  const looked = db
    .select()
    .from(conversations)
    .where(ofPlace)
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(maxLookedAt)
    .as("conversations");
  const { caller, signal, onDatabaseMs } = context;
  const select = (queryable: Queryable) =>
    queryable
      .select({ number: looked.id, createdAt: looked.createdAt })
      .from(looked)
      .where(
        and(
          title === undefined ? undefined : contains(title),
          // Operators have no spaces.
          caller.kind === "workspace" ? reachesConversation({ ...context, caller }) : undefined,
          input.status && sql`${status} = ${input.status}`,
          agentId === undefined ? undefined : wasAnsweredBy(workspace.id, agentId),
        ),
      )
      .orderBy(desc(looked.createdAt), desc(looked.id))
      .limit(limit + 1);
  const searcher = { workspaceId: workspace.id, signal, onDatabaseMs };
  const rows = await (isLookedInto || title !== undefined
    ? context.runSearch(searcher, select)
    : select(db));
  const page = rows.slice(0, limit);
  const found = await readListed(db, page);
  if (rows.length > limit) {
    return { conversations: found, hasMore: true, lastValue: placeOf(page.at(-1)) };
  }
  const [last] = await db
    .select({ createdAt: conversations.createdAt, number: conversations.id })
    .from(conversations)
    .where(ofPlace)
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(1)
    .offset(maxLookedAt - 1);
  const lastValue = placeOf(last ?? page.at(-1));
  return { conversations: found, hasMore: last !== undefined, lastValue };
}

function contains(title: string): SQL {
  const pattern = `%${title.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql`conversations.title ilike ${pattern}`;
}

function wasAnsweredBy(workspaceId: number, agentId: string): SQL {
  const versions = sql`array(select ${agents.id} from ${agents}
    where ${agents.workspaceId} = ${workspaceId} and ${agents.sid} = ${agentId})`;
  return hasRow(sql`from messages where ${ofRow} and messages.agent_id = any(${versions})`);
}

/** What the list shows of these conversations, in their order. */
async function readListed(db: Queryable, places: readonly Place[]): Promise<ListedConversation[]> {
  if (places.length === 0) return [];
  const rows = await db
    .select({
      sId: conversations.sid,
      title: conversations.title,
      status: status.as("status"),
      createdAt: conversations.createdAt,
      lastActivityAt: sql<number>`greatest(${conversations.updatedAt}, (
        select max(greatest(messages.created_at, messages.finished_at)) from messages where ${ofRow}
      ))::float8`,
      messageCount: sql<number>`coalesce(${conversations.messageCount}, (
        select count(*) from messages where ${ofRow}))::int`,
      user: { sId: users.sid, name: users.fullName },
      agents: sql<ListedConversation["agents"]>`(
        select coalesce(json_agg(json_build_object('sId', a.sid, 'name', a.name) order by a.name, a.sid), '[]')
        from (
          select distinct on (answered.sid) answered.sid, answered.name
          from messages join agents answered on answered.id = messages.agent_id
          where ${ofRow} order by answered.sid, answered.version desc
        ) a)`,
      spaceId: spaces.sid,
    })
    .from(conversations)
    .leftJoin(apiKeys, eq(apiKeys.id, conversations.apiKeyId))
    .leftJoin(users, eq(users.id, sql`coalesce(${conversations.ownerId}, ${apiKeys.userId})`))
    .leftJoin(spaces, eq(spaces.id, conversations.spaceId))
    .where(
      inArray(
        conversations.id,
        places.map(({ number }) => number),
      ),
    )
    .orderBy(desc(conversations.createdAt), desc(conversations.id));
  return rows;
}
