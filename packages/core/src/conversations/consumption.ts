import { statement } from "@parley/db";
import type { Consumption, ReadConsumption } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import {
  answeredByOthers,
  consumedByAnswer,
  consumedByModel,
  type Sums,
  summed,
} from "../messages/consumption-sums.ts";
import { takePage } from "../data-access/pages.ts";

const answers = (consumed: SQL) => sql`
  from messages m join agents a on a.id = m.agent_id ${consumed}
  where m.conversation_id = ${sql.placeholder("conversationId")}::bigint and m.type = 'agent_message'`;

type Answer = Consumption["messages"][number];

interface MessageRow extends Omit<Answer, "fallbacks"> {
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
    model.*, taken.*, called.*, ${answeredByOthers} as fallbacks
  ${answers(consumedByAnswer)} and (m.rank, m.version)
    > (${sql.placeholder("rank")}::int, ${sql.placeholder("version")}::int)
  order by m.rank, m.version limit ${sql.placeholder("limit")}::int`,
);

interface GroupRow extends Sums {
  readonly answers: number;
  readonly agentConfigurationId: string | null;
  readonly providerId: string | null;
  readonly modelId: string | null;
}

const groupsStatement = statement<{ conversationId: number }, GroupRow>(
  "read_consumption_of_groups",
  sql`
  select "agentConfigurationId", "providerId", "modelId", count(distinct id)::float8 as answers,
    ${summed}
  from (
    select m.id, a.sid as "agentConfigurationId", model.*, taken.*, called.*
    ${answers(consumedByModel)}
  ) as answer
  group by grouping sets ((), ("agentConfigurationId"), ("providerId", "modelId"))
  order by "agentConfigurationId", "providerId", "modelId"`,
);

/** Sums up what the answers of a conversation took: all of it, and by agent, model and answer. */
export async function getConsumption(
  context: Context,
  { cId, limit, lastValue }: ReadConsumption & { cId: string },
): Promise<Consumption> {
  const { db } = context.database;
  const { id: conversationId } = await requireConversation(db, context, cId);
  const [rank = -1, version = 0] = lastValue?.split(".").map(Number) ?? [];
  const groups = await groupsStatement.execute(db, { conversationId });
  const page = { conversationId, rank, version, limit: limit + 1 };
  const rows = await messagesStatement.execute(db, page);
  const { page: found, end } = takePage(rows, { limit }, (row) => `${row.rank}.${row.version}`);
  const total = groups.find((row) => row.agentConfigurationId === null && row.modelId === null);
  if (total === undefined) throw new Error("The statement has no row for all answers");
  return {
    total: sumsOf(total),
    agents: groups.flatMap(({ agentConfigurationId, ...row }) =>
      agentConfigurationId === null ? [] : { agentConfigurationId, ...sumsOf(row) },
    ),
    models: groups.flatMap(({ providerId, modelId, ...row }) =>
      providerId === null || modelId === null ? [] : { providerId, modelId, ...sumsOf(row) },
    ),
    messages: found.map(({ rank: _rank, fallbacks, ...message }) => {
      return fallbacks === null ? message : { ...message, fallbacks };
    }),
    ...end,
  };
}

function sumsOf(row: Sums & { readonly answers: number }) {
  const { answers: count, steps, modelDurationMs, toolCalls, toolDurationMs } = row;
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = row;
  const ofCache = { cachedInputTokens, cacheWriteTokens };
  const tokens = { inputTokens, outputTokens, ...ofCache, reasoningTokens };
  return { answers: count, steps, ...tokens, modelDurationMs, toolCalls, toolDurationMs };
}
