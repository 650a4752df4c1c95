import { agents, conversations, messages, type Queryable } from "@parley/db";
import type { FoundMessage, FoundMessagePage, SearchMessages } from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { isListed, reachesConversation } from "../access/conversation-reach.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { readIndexState } from "./index-messages.ts";
import { markedExcerpt, matches, readMarks, wordsOf } from "./match-messages.ts";

/** Matches of rare words, which are all read and put in order. */
const MAX_MATCHES = 2000;
/** Messages that a page of more common words looks at, the newest first. */
const MAX_LOOKED_AT = 20_000;
/** Bytes of texts in which a page looks for the words that it shows. */
const MAX_READ_BYTES = 512 * 1024;

const raw = (number: number): SQL => sql.raw(String(number));
const newest = sql`created_at desc, message_id desc`;

/** A row of a page. */
interface FoundRow extends Omit<FoundMessage, "excerpt" | "highlights"> {
  readonly marked: string;
}

/** Where a page ends. */
interface Place {
  readonly createdAt: number;
  readonly messageId: string;
}

const placeOf = ({ createdAt, messageId }: Place): string => `${createdAt}.${messageId}`;

/**
 * Finds the messages of reached conversations that have the words of a query, the newest first, a page at a time: the
 * newest version of each, without those that an edit has hidden. Common words look at a bounded number of messages for a
 * page. Throws the errors of `RunSearch`.
 */
export async function searchMessages(
  context: RequestContext,
  input: SearchMessages,
): Promise<FoundMessagePage> {
  const { caller, signal, onDatabaseMs, database } = context;
  const { id: workspaceId } = await administeredWorkspace(context, database.db, input.wId);
  const state = await readIndexState(database.db);
  const searcher = { workspaceId, signal, onDatabaseMs };
  const found = await context.runSearch(searcher, async (db) => {
    const query = wordsOf(input.query);
    const isMatch = matches(sql`words`, { workspaceId, query });
    const isCommon = await exceeds(db, isMatch);
    const range = inRange(input);
    // The index has all matches of rare words together; of common ones, the newest are in any part of the messages.
    const looked = isCommon
      ? sql`select * from (
          select * from message_words where workspace_id = ${workspaceId} and ${range}
          order by ${newest} limit ${raw(MAX_LOOKED_AT)}) latest where ${isMatch}`
      : sql`select * from (
          select * from message_words where ${isMatch} limit ${raw(MAX_MATCHES)}) matched where ${range}`;
    const reach = caller.kind === "workspace" ? reachesConversation({ caller }) : undefined;
    const where = and(
      eq(conversations.workspaceId, workspaceId),
      reach,
      isListed,
      ...filtersOf(input),
    );
    const rows = await selectPage(db, { looked, where, query, limit: input.limit + 1 });
    const page = rows.slice(0, input.limit);
    const last = page.at(-1);
    const end = last && { createdAt: last.createdAt, messageId: last.sId };
    if (rows.length > input.limit) return { page, hasMore: true, end };
    const lookedAt = isCommon ? await lastLooked(db, { workspaceId, range }) : undefined;
    return { page, hasMore: lookedAt !== undefined, end: lookedAt ?? end };
  });
  const { page, hasMore, end } = found;
  return {
    messages: page.map(({ marked, ...message }) => ({ ...message, ...readMarks(marked) })),
    ...state,
    hasMore,
    lastValue: end === undefined ? null : placeOf(end),
  };
}

/** Whether words have more matches than are put in order; with exactly as many, it is not known. */
async function exceeds(db: Queryable, isMatch: SQL): Promise<boolean> {
  const [row] = await select<{ count: number }>(
    db,
    sql`select count(*)::int as count
      from (select from message_words where ${isMatch} limit ${raw(MAX_MATCHES)}) matched`,
  );
  return (row?.count ?? 0) >= MAX_MATCHES;
}

function inRange({ from, to, lastValue }: SearchMessages): SQL {
  const [time, messageId] = lastValue?.split(".") ?? [];
  const parts = [
    from === undefined ? undefined : sql`created_at >= ${from}`,
    to === undefined ? undefined : sql`created_at < ${to}`,
    time === undefined
      ? undefined
      : sql`(created_at, message_id) < (${Number(time)}, ${messageId})`,
  ];
  return and(...parts) ?? sql`true`;
}

const isNewestVersion = sql`not exists (
  select from messages newer where newer.conversation_id = m.conversation_id and newer.rank = m.rank
    and newer.version > m.version)`;

function filtersOf({ type, agentId, status, conversationId }: SearchMessages): (SQL | undefined)[] {
  return [
    sql`m.visibility <> 'deleted'`,
    isNewestVersion,
    type && sql`m.type = ${type}`,
    agentId === undefined ? undefined : sql`a.sid = ${agentId}`,
    status && sql`m.status = ${status}`,
    conversationId === undefined ? undefined : eq(conversations.sid, conversationId),
  ];
}

interface Page {
  readonly looked: SQL;
  readonly where: SQL | undefined;
  readonly query: SQL;
  readonly limit: number;
}

/** The first of the looked rows that fulfil the conditions, with the parts that they were found in. */
async function selectPage(
  db: Queryable,
  { looked, where, query, limit }: Page,
): Promise<FoundRow[]> {
  const bytes = sql`sum(octet_length(m.content)) over (order by page.created_at desc, page.message_id desc)`;
  return select(
    db,
    sql`
    with looked as (${looked}),
    page as materialized (
      select looked.message_id, looked.created_at, ${conversations.sid} as conversation_sid,
        ${conversations.title} as title, a.sid as agent_sid, a.name as agent_name
      from looked
      join ${messages} m on m.sid = looked.message_id
      join ${conversations} on ${conversations.id} = m.conversation_id
      left join ${agents} a on a.id = m.agent_id
      where ${where}
      order by looked.created_at desc, looked.message_id desc limit ${raw(limit)}
    ),
    sized as materialized (
      select page.*, m.type, m.status, ${bytes} <= ${raw(MAX_READ_BYTES)} as is_read
      from page join ${messages} m on m.sid = page.message_id
    )
    select sized.message_id as "sId", sized.type, sized.status, sized.created_at as "createdAt",
      case when agent_sid is not null then json_build_object('sId', agent_sid, 'name', agent_name) end as agent,
      json_build_object('sId', conversation_sid, 'title', title) as conversation,
      ${markedExcerpt(query, sql`sized.is_read`)} as marked
    from sized join ${messages} m on m.sid = sized.message_id
    order by sized.created_at desc, sized.message_id desc`,
  );
}

/** The last message that a page has looked at, if there are more after it. */
async function lastLooked(
  db: Queryable,
  { workspaceId, range }: { workspaceId: number; range: SQL },
): Promise<Place | undefined> {
  const [row] = await select<Place>(
    db,
    sql`select created_at as "createdAt", message_id as "messageId" from message_words
      where workspace_id = ${workspaceId} and ${range}
      order by ${newest} limit 1 offset ${raw(MAX_LOOKED_AT - 1)}`,
  );
  return row;
}

async function select<Row>(db: Queryable, query: SQL): Promise<Row[]> {
  // The driver gives the rows there.
  const { rows } = (await db.execute(query)) as { rows: Row[] };
  return rows;
}
