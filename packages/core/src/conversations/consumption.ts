import { statement } from "@parley/db";
import type { Consumption, ReadConsumption } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import {
  answeredByOthers,
  consumedByAnswer,
  consumedByModel,
  consumedBySummary,
  costOfGroup,
  costOfOne,
  type CostSums,
  type Sums,
  summed,
} from "../messages/consumption-sums.ts";
import { takePage } from "../data-access/pages.ts";

const conversationId = sql`${sql.placeholder("conversationId")}::bigint`;

/** A conversation, and the tasks below it. */
const tree = sql`array(
  select ${conversationId} union all select id from conversations where root_id = ${conversationId})`;

const answers = (consumed: SQL, where: SQL) => sql`
  from messages m join agents a on a.id = m.agent_id ${consumed}
  where ${where} and m.type = 'agent_message'`;

type Answer = Consumption["messages"][number];

interface MessageRow extends Omit<Answer, "fallbacks" | "cost">, CostSums {
  readonly rank: number;
  readonly fallbacks: Answer["fallbacks"] | null;
}

const messagesStatement = statement<
  { conversationId: number; rank: number; version: number; limit: number },
  MessageRow
>(
  "read_consumption_of_messages",
  sql`
  select m.sid as "messageId", m.rank, m.version, m.status, a.sid as "agentConfigurationId",
    model.*, taken.*, called.*, ${costOfOne}, ${answeredByOthers} as fallbacks
  ${answers(consumedByAnswer, sql`m.conversation_id = ${conversationId}`)} and (m.rank, m.version)
    > (${sql.placeholder("rank")}::int, ${sql.placeholder("version")}::int)
  order by m.rank, m.version limit ${sql.placeholder("limit")}::int`,
);

interface GroupRow extends Sums, CostSums {
  readonly kind: "answer" | "summary" | null;
  readonly answers: number;
  readonly summaries: number;
  readonly agentConfigurationId: string | null;
  readonly providerId: string | null;
  readonly modelId: string | null;
}

const groupsStatement = statement<{ conversationId: number }, GroupRow>(
  "read_consumption_of_groups",
  sql`
  select kind, "agentConfigurationId", "providerId", "modelId",
    count(distinct id) filter (where kind = 'answer')::float8 as answers,
    count(*) filter (where kind = 'summary')::float8 as summaries, ${summed}, ${costOfGroup}
  from (
    select 'answer' as kind, m.id, a.sid as "agentConfigurationId", model.*, taken.*, called.*, cost.*
    ${answers(consumedByModel, sql`m.conversation_id = any(${tree})`)}
    union all
    select 'summary', s.id, a.sid, model.*, taken.*, called.*, cost.*
    from conversation_summaries s join agents a on a.id = s.agent_id ${consumedBySummary}
    where s.conversation_id = any(${tree})
  ) as consumer
  group by grouping sets ((), (kind), ("agentConfigurationId"), ("providerId", "modelId"))
  order by "agentConfigurationId", "providerId", "modelId"`,
);

/**
 * Sums up what the answers of a conversation and the summaries of its oldest messages took, with the tasks below it: all
 * of it, and by agent and model. Of its own answers, each is listed.
 */
export async function getConsumption(
  context: Context,
  { cId, limit, lastValue }: ReadConsumption & { cId: string },
): Promise<Consumption> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const [rank = -1, version = 0] = lastValue?.split(".").map(Number) ?? [];
  const groups = await groupsStatement.execute(db, { conversationId: id });
  const page = { conversationId: id, rank, version, limit: limit + 1 };
  const rows = await messagesStatement.execute(db, page);
  const { page: found, end } = takePage(rows, { limit }, (row) => `${row.rank}.${row.version}`);
  const isOfAll = (row: GroupRow) => row.agentConfigurationId === null && row.modelId === null;
  const total = groups.find((row) => isOfAll(row) && row.kind === null);
  if (total === undefined) throw new Error("The statement has no row for all answers");
  const sums = (row: Sums & CostSums) => ({ ...sumsOf(row), ...costOf(context, row) });
  const summaries = groups.find(({ kind }) => kind === "summary");
  return {
    total: { answers: total.answers, ...sums(total) },
    ...(summaries && { summaries: { summaries: summaries.summaries, ...sums(summaries) } }),
    agents: groups.flatMap(({ agentConfigurationId, ...row }) =>
      agentConfigurationId === null
        ? []
        : { agentConfigurationId, answers: row.answers, ...sums(row) },
    ),
    models: groups.flatMap(({ providerId, modelId, ...row }) =>
      providerId === null || modelId === null
        ? []
        : { providerId, modelId, answers: row.answers, ...sums(row) },
    ),
    messages: found.map(({ rank: _rank, fallbacks, amount, unpricedCalls, ...message }) => ({
      ...message,
      ...costOf(context, { amount, unpricedCalls }),
      ...(fallbacks !== null && { fallbacks }),
    })),
    ...end,
  };
}

/** What the models asked for it, for those who may see that; nothing if no call was counted. */
export function costOf(
  context: Context,
  { amount, unpricedCalls }: CostSums,
): Pick<Answer, "cost"> {
  if (context.caller.apiKey.role === "user" || (amount === null && unpricedCalls === 0)) return {};
  const { currency } = context.caller.workspace;
  return { cost: { amount: amount ?? "0", currency, unpricedCalls } };
}

function sumsOf(row: Sums): Sums {
  const { steps, modelDurationMs, toolCalls, toolDurationMs } = row;
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = row;
  const ofCache = { cachedInputTokens, cacheWriteTokens };
  const tokens = { inputTokens, outputTokens, ...ofCache, reasoningTokens };
  return { steps, ...tokens, modelDurationMs, toolCalls, toolDurationMs };
}
