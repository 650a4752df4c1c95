import { hasRow, type Statement, statement } from "@parley/db";
import type { AnalyticsTable, CsvRow } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { consumedByModel, consumedBySummary, summed } from "../messages/consumption-sums.ts";

/** Rows of an export at most; a statement reads one more. */
export const MAX_ROWS = 50_000;

interface Range extends Record<string, unknown> {
  workspaceId: number;
  /** The key of the caller, which may not reach all spaces: what users wrote is shown to those who do. */
  apiKeyId: number;
  /** The first and the last day, and the time zone that they are of. */
  startDate: string;
  endDate: string;
  timezone: string;
}

const workspaceId = sql`${sql.placeholder("workspaceId")}::bigint`;
const timezone = sql`${sql.placeholder("timezone")}::text`;
const startOf = (day: SQL) =>
  sql`(extract(epoch from (${day})::timestamp at time zone ${timezone}) * 1000)::bigint`;

// The range in milliseconds. Messages have no index by time: they are found by their conversations, of
// which those are left out that ended before the range.
const withRange = sql`
  with range as (
    select ${startOf(sql`${sql.placeholder("startDate")}::date`)} as start,
      ${startOf(sql`${sql.placeholder("endDate")}::date + 1`)} as after
  ),
  message as (
    select m.* from range, conversations c
    join messages m on m.conversation_id = c.id
    where c.workspace_id = ${workspaceId} and c.created_at < range.after
      and c.updated_at >= range.start
      and m.created_at >= range.start and m.created_at < range.after
  )`;

// An answer counts for the user whose message it answers, and for the model that answered last; the steps of each
// model count for that model. A summary counts, with its steps alone, for the answer whose end started it.
const withEntries = sql`
  ${withRange},
  entry as (
    select m.created_at, m.conversation_id, m.user_id, 1 as message, 0 as answer, 0 as failed,
      null as agent, null as "agentName", null as "providerId", null as "modelId", 0 as steps,
      0 as "inputTokens", 0 as "outputTokens", 0 as "cachedInputTokens", 0 as "cacheWriteTokens",
      0 as "reasoningTokens", 0 as "modelDurationMs", 0 as "toolCalls", 0 as "toolDurationMs"
    from message m where m.type = 'user_message'
    union all
    select m.created_at, m.conversation_id, asked.user_id, 0, part."isLast"::int,
      (part."isLast" and m.status = 'failed')::int, a.sid, a.name, model.*, taken.*, called.*
    from message m
    join agents a on a.id = m.agent_id
    join messages asked on asked.sid = m.parent_message_id
    ${consumedByModel}
    where m.type = 'agent_message'
    union all
    select m.created_at, m.conversation_id, asked.user_id, 0, 0, 0, a.sid, a.name, model.*, taken.*, called.*
    from message m
    join conversation_summaries s on s.conversation_id = m.conversation_id and s.answer_id = m.sid
    join agents a on a.id = s.agent_id
    join messages asked on asked.sid = m.parent_message_id
    ${consumedBySummary}
    where m.type = 'agent_message'
  )`;

const day = sql`(to_timestamp(entry.created_at / 1000.0) at time zone ${timezone})::date::text`;
const counted = {
  conversations: sql`count(distinct conversation_id)::float8`,
  users: sql`count(distinct entry.user_id)::float8`,
  messages: sql`sum(message)::float8`,
  answers: sql`sum(answer)::float8`,
  failedAnswers: sql`sum(failed)::float8`,
};
const sums = [
  "steps",
  "inputTokens",
  "outputTokens",
  "modelDurationMs",
  "toolCalls",
  "toolDurationMs",
  // Newer columns are the last: some readers go by position.
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
];

interface Table {
  readonly columns: readonly string[];
  readonly statement: Statement<Range, CsvRow>;
}

/** A table of what a query gives, with these columns in order. */
function tableOf(name: AnalyticsTable, columns: readonly string[], query: SQL): Table {
  const bounded = sql`${query} limit ${sql.raw(String(MAX_ROWS + 1))}`;
  return { columns, statement: statement<Range, CsvRow>(`export_${name}`, bounded) };
}

/** A table of the use for each value of `by`; `isMeant` is the condition on the entries that count. */
function usageBy(
  name: AnalyticsTable,
  by: Readonly<Record<string, SQL>>,
  { counts, isMeant }: { counts: readonly (keyof typeof counted)[]; isMeant: SQL },
): Table {
  const named = [...Object.entries(by), ...counts.map((count) => [count, counted[count]] as const)];
  const selected = named.map(([column, value]) => sql`${value} as ${sql.identifier(column)}`);
  // By number: an expression with a parameter is not the same expression elsewhere.
  const groups = Object.keys(by).map((_column, index) => sql.raw(String(index + 1)));
  const query = sql`${withEntries}
    select ${sql.join(selected, sql`, `)}, ${summed}
    from entry left join users u on u.id = entry.user_id
    where ${isMeant} group by ${sql.join(groups, sql`, `)} order by ${sql.join(groups, sql`, `)}`;
  return tableOf(name, [...named.map(([column]) => column), ...sums], query);
}

const isAny = sql`true`;
const isAnswer = sql`agent is not null`;

/** The tables that can be exported. */
export const tables: Readonly<Record<AnalyticsTable, Table>> = {
  usage_metrics: usageBy(
    "usage_metrics",
    { date: day },
    {
      counts: ["conversations", "users", "messages", "answers", "failedAnswers"],
      isMeant: isAny,
    },
  ),
  active_users: tableOf(
    "active_users",
    ["date", "activeUsers"],
    sql`${withEntries}
      select ${day} as date, count(distinct entry.user_id)::float8 as "activeUsers"
      from entry where message = 1 group by 1 order by 1`,
  ),
  agents: usageBy(
    "agents",
    { agentId: sql`agent`, agentName: sql`"agentName"` },
    { counts: ["conversations", "users", "answers", "failedAnswers"], isMeant: isAnswer },
  ),
  users: usageBy(
    "users",
    { userId: sql`u.sid`, name: sql`u.full_name`, email: sql`u.email` },
    { counts: ["conversations", "messages", "answers", "failedAnswers"], isMeant: isAny },
  ),
  models: usageBy(
    "models",
    { providerId: sql`"providerId"`, modelId: sql`"modelId"` },
    { counts: ["conversations", "users", "answers", "failedAnswers"], isMeant: isAnswer },
  ),
  tool_usage: tableOf(
    "tool_usage",
    ["toolName", "calls", "failedCalls", "durationMs"],
    sql`${withRange}
      select x.tool_name as "toolName", count(*)::float8 as calls,
        count(*) filter (where x.status = 'errored')::float8 as "failedCalls",
        coalesce(sum(x.execution_duration_ms), 0)::float8 as "durationMs"
      from message m join actions x on x.message_id = m.id
      group by 1 order by 1`,
  ),
  feedback: tableOf(
    "feedback",
    [
      "createdAt",
      "conversationId",
      "messageId",
      "agentId",
      "agentVersion",
      "userId",
      "thumbDirection",
      "content",
      "isConversationShared",
    ],
    sql`${withRange}
      select f.created_at::float8 as "createdAt", c.sid as "conversationId",
        f.message_id as "messageId", a.sid as "agentId", a.version as "agentVersion",
        u.sid as "userId", f.thumb_direction as "thumbDirection", f.content,
        f.is_conversation_shared as "isConversationShared"
      from range, feedbacks f
      join conversations c on c.id = f.conversation_id
      join agents a on a.id = f.agent_id
      join users u on u.id = f.user_id
      where f.workspace_id = ${workspaceId}
        and f.created_at >= range.start and f.created_at < range.after
        and (c.space_id is null or ${hasRow(sql`
          from spaces s where s.id = c.space_id and (not s.is_restricted or ${hasRow(sql`
            from api_key_spaces k where k.space_id = s.id
              and k.api_key_id = ${sql.placeholder("apiKeyId")}::bigint`)})`)})
      order by f.id`,
  ),
};
