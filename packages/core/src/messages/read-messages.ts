import { actions, hasRow, messages, type Queryable, statement, users } from "@parley/db";
import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { type AgentServices, findVersions, versionsOf } from "../agents/agent-versions.ts";
import type { Context } from "../context.ts";
import { columnName, fromColumns } from "../data-access/row-json.ts";
import type { ActionRow, ConversationRow, MessageRow, UserRow } from "../data-access/rows.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import type { MessageReferences } from "./render-messages.ts";

export interface ReadMessages {
  /** By position and version. */
  readonly messages: MessageRow[];
  /** Tool calls in order, by the number of their message. */
  readonly actions: Map<number, ActionRow[]>;
}

/** Reads the messages that meet a condition, with their tool calls. */
export async function readMessages(
  db: Queryable,
  condition: SQL | undefined,
): Promise<ReadMessages> {
  const rows = await db
    .select()
    .from(messages)
    .where(condition)
    .orderBy(asc(messages.rank), asc(messages.version));
  return { messages: rows, actions: await readActions(db, rows) };
}

/** Tool calls are read separately, so that a message's text is not sent once for each of them. */
async function readActions(
  db: Queryable,
  rows: readonly Pick<MessageRow, "id" | "type">[],
): Promise<ReadMessages["actions"]> {
  const ids = rows.filter(({ type }) => type === "agent_message").map(({ id }) => id);
  const found =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(actions)
          .where(inArray(actions.messageId, ids))
          .orderBy(asc(actions.messageId), asc(actions.step), asc(actions.position));
  return Map.groupBy(found, ({ messageId }) => messageId);
}

/** Some messages of a conversation, with what they refer to. */
export interface MessagePage extends ReadMessages {
  readonly users: ReadonlyMap<number, UserRow>;
  /** The current statuses of the agents' versions, by their number. */
  readonly statuses: ReadonlyMap<number, string>;
  /** Whether there is nothing beyond it in the direction of the read. */
  readonly isLast: boolean;
  /** What all messages of the conversation tell, of a page that was read backwards and has messages. */
  readonly activity?: Activity | undefined;
}

/** What the messages of a conversation tell of it. */
export interface Activity {
  /** When something last happened in it. */
  readonly lastActivityAt: number;
  /** Whether a call waits for its user. */
  readonly actionRequired: boolean;
}

/** Messages of one page at most. */
const PAGE_MESSAGES = 200;
/** About the bytes of a page's JSON, without its last message. */
const PAGE_BYTES = 256 * 1024;

/** A version of a message: its position and number. */
export type Place = Pick<MessageRow, "rank" | "version">;

/** Before the first message, and after the last. */
export const firstPlace: Place = { rank: -1, version: 0 };
export const lastPlace: Place = { rank: 2 ** 31 - 1, version: 0 };

interface PageValues extends Record<string, unknown> {
  workspaceId: number;
  conversationId: number;
  rank: number;
  version: number;
  maxPositions: number;
}

/** A message with what it refers to, as PostgreSQL writes rows as JSON. */
interface PageRow extends MessageRow {
  readonly weighed: number;
  readonly calls: readonly object[] | null;
  readonly author: object | null;
  readonly agentStatus: string | null;
  readonly lastActivityAt?: number;
  readonly actionRequired?: boolean;
}

const shownOf: Readonly<Record<string, string>> = {
  content: "case m.type when 'content_fragment' then left(m.content, 256) else m.content end",
  steps: "null",
  response_format: "null",
  answer_settings: "null",
};

// `steps`, the format and the tools may be large and are only for providers; of a fragment only the beginning is shown.
const shownColumns = sql.raw(
  Object.keys(getTableColumns(messages))
    .map((key) => {
      const column = columnName(key);
      return `${shownOf[column] ?? `m.${column}`} as "${key}"`;
    })
    .join(", "),
);

// What a message refers to comes with it, so that a read is one statement; a call is not sent twice, nor a text
// once for each of its calls.
const ofWorkspace = sql.placeholder("workspaceId");
const referred = sql`
  case m.type when 'agent_message' then (
    select json_agg(a order by a.step, a.position) from actions a where a.message_id = m.id
  ) end as calls,
  (select row_to_json(u) from users u
    where u.id = m.user_id and u.workspace_id = ${ofWorkspace}) as author,
  (select v.status from agents v
    where v.id = m.agent_id and v.workspace_id = ${ofWorkspace}) as "agentStatus"`;

// The places are found without reading texts: large columns are only measured. Calls are measured as
// they are compressed, to a sixteenth at best.
const pageStatement = (
  name: string,
  { comparison, order, more = sql`` }: { comparison: SQL; order: SQL; more?: SQL },
) =>
  statement<PageValues, PageRow>(
    name,
    sql`
    select ${shownColumns}, sized.weighed::int as weighed, ${referred}${more}
    from (
      select rank, version,
        count(*) over () as weighed,
        row_number() over (order by rank ${order}, version ${order}) as nth,
        sum(weight) over (order by rank ${order}, version ${order}) - weight as before,
        dense_rank() over (order by rank ${order}) as position
      from (
        select h.rank, h.version, 1024 + case h.type
          when 'user_message' then octet_length(h.content)
          when 'agent_message' then
            octet_length(h.content) * case when h.structured_output is null then 2 else 3 end
            + coalesce(octet_length(h.chain_of_thought), 0)
            + coalesce((
                select octet_length(a.instructions) from agents a where a.id = h.agent_id
              ), 0)
            + coalesce((
                select sum(1024 + least(
                  16 * (pg_column_size(x.params) + coalesce(pg_column_size(x.output), 0)), 400000
                ))
                from actions x where x.message_id = h.id
              ), 0)
          else 1024
        end as weight
        from messages h
        where h.conversation_id = ${sql.placeholder("conversationId")}
          and (h.rank, h.version) ${comparison}
            (${sql.placeholder("rank")}::int, ${sql.placeholder("version")}::int)
        order by h.rank ${order}, h.version ${order} limit ${sql.raw(String(PAGE_MESSAGES + 1))}
      ) as weighed
    ) as sized
    join messages m on m.conversation_id = ${sql.placeholder("conversationId")}
      and m.rank = sized.rank and m.version = sized.version
    where sized.before < ${sql.raw(String(PAGE_BYTES))}
      and sized.nth <= ${sql.raw(String(PAGE_MESSAGES))}
      and sized.position <= ${sql.placeholder("maxPositions")}::int
    order by m.rank, m.version`,
  );

const forwards = pageStatement("read_messages_after", { comparison: sql`>`, order: sql`asc` });
const ofConversation = sql`s.conversation_id = ${sql.placeholder("conversationId")}`;
const backwards = pageStatement("read_messages_before", {
  comparison: sql`<`,
  order: sql`desc`,
  // A page does not tell of the others.
  more: sql`,
    (select max(greatest(s.created_at, coalesce(s.finished_at, 0))) from messages s
      where ${ofConversation}) as "lastActivityAt",
    ${hasRow(sql`from messages s join actions b on b.message_id = s.id
      where ${ofConversation} and s.status = 'created' and ${waitsForPerson(sql`b.status`)}`)}
      as "actionRequired"`,
});

/**
 * Reads the messages after a place, or the nearest before it: at least one if there is one, and a
 * bounded amount. Fragments have only the beginning of their text, and messages none of what only providers are given.
 */
export async function readMessagePage(
  db: Queryable,
  {
    conversation: { id: conversationId, workspaceId },
    maxPositions = PAGE_MESSAGES,
    ...from
  }: {
    conversation: Pick<ConversationRow, "id" | "workspaceId">;
    maxPositions?: number | undefined;
  } & ({ after: Place } | { before: Place }),
): Promise<MessagePage> {
  const [page, place] = "after" in from ? [forwards, from.after] : [backwards, from.before];
  const { rank, version } = place;
  const rows = await page.execute(db, {
    workspaceId,
    conversationId,
    maxPositions,
    rank,
    version,
  });
  const actionsOf = new Map<number, ActionRow[]>();
  const usersOf = new Map<number, UserRow>();
  const statuses = new Map<number, string>();
  for (const { id, userId, agentId, calls, author, agentStatus } of rows) {
    if (calls !== null) actionsOf.set(id, calls.map(fromColumns<ActionRow>));
    if (userId !== null && author !== null) usersOf.set(userId, fromColumns<UserRow>(author));
    if (agentId !== null && agentStatus !== null) statuses.set(agentId, agentStatus);
  }
  const [first] = rows;
  const isLast = rows.length === (first?.weighed ?? 0);
  const { lastActivityAt, actionRequired = false } = first ?? {};
  const activity = lastActivityAt === undefined ? undefined : { lastActivityAt, actionRequired };
  return { messages: rows, actions: actionsOf, users: usersOf, statuses, isLast, activity };
}

/** The context of functions that render messages. */
export type MessageContext = Context & AgentServices;

/** Reads what messages refer to, so that they can be rendered. */
export async function readReferences(
  db: Queryable,
  context: MessageContext,
  read: ReadMessages,
): Promise<MessageReferences> {
  const { workspace } = context.caller;
  const userIds = new Set(read.messages.flatMap((message) => message.userId ?? []));
  const agentIds = read.messages.flatMap((message) => message.agentId ?? []);
  const rows =
    userIds.size === 0
      ? []
      : await db
          .select()
          .from(users)
          .where(and(eq(users.workspaceId, workspace.id), inArray(users.id, [...userIds])));
  return {
    users: new Map(rows.map((row) => [row.id, row])),
    agents: await findVersions(context, db, agentIds),
    actions: read.actions,
    publicUrl: context.publicUrl,
    fileUrl: fileUrl(context),
  };
}

/** What the messages of a page refer to, which was read with them. */
export async function referencesOf(
  context: MessageContext,
  { users: byId, statuses, actions: calls }: MessagePage,
): Promise<MessageReferences> {
  const versions = statuses.entries().map(([id, status]) => ({ id, status }));
  return {
    users: byId,
    agents: await versionsOf(context, versions),
    actions: calls,
    publicUrl: context.publicUrl,
    fileUrl: fileUrl(context),
  };
}

/** Absolute URLs of the workspace's files. */
export function fileUrl(context: Context): (fileId: string) => string {
  const { publicUrl, caller } = context;
  return (fileId) => `${publicUrl}/api/v1/w/${caller.workspace.sid}/files/${fileId}`;
}
