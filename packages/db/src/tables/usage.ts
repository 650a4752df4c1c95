import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { identified, identity, milliseconds, number, timestamps } from "./columns.ts";

// Amounts are whole numbers of nano-units, a thousand-millionth of a unit of their currency. JSON has them as
// decimal numbers. No foreign keys: what a deleted conversation cost stays counted.

const amount = () => bigint({ mode: "bigint" });

/** What was billed: one row for each call of a model, written with its result. */
export const usageEntries = pgTable(
  "usage_entries",
  {
    id: identity(),
    workspaceId: number().notNull(),
    at: milliseconds().notNull(),
    /** What the call was made for. */
    origin: text().$type<UsageOrigin>().notNull(),
    /** The run that made it, its attempt, and the number of the call in that attempt. */
    logId: text().notNull(),
    attempt: integer().notNull(),
    call: integer().notNull(),
    /** The step of the answer, or the number of the call of a summary. */
    step: integer().notNull(),
    conversationId: number().notNull(),
    spaceId: number(),
    /** The key that is billed, and the user that it was for: of a key by itself, its service user. */
    apiKeyId: number(),
    userId: number(),
    /** Public ids, which survive what they name. */
    agentId: text().notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    inputTokens: number(),
    outputTokens: number(),
    cachedInputTokens: number(),
    cacheWriteTokens: number(),
    reasoningTokens: number(),
    /** Null if the model had no price. */
    amount: amount(),
    currency: text().notNull(),
    /** Whether the service never said what it counted: the amount is then the greatest possible one. */
    isEstimated: boolean().notNull(),
    /** What the answer used, for filters; null for nothing. */
    skills: jsonb().$type<string[]>(),
    tools: jsonb().$type<string[]>(),
    sources: jsonb().$type<string[]>(),
    tags: jsonb().$type<string[]>(),
    /** Whether it is in the sums. */
    isSummed: boolean().notNull().default(false),
  },
  (table) => [
    uniqueIndex("usage_entries_by_call").on(table.logId, table.attempt, table.call),
    index("usage_entries_by_time").on(table.workspaceId, table.at),
    index("usage_entries_by_age").using("brin", table.at),
    index("usage_entries_unsummed")
      .on(table.workspaceId, table.id)
      .where(sql`not ${table.isSummed}`),
  ],
);

/**
 * What a call was made for: a step of an answer, one that repeats an answer in a wrong format, one that gave way to
 * another model, a title, a summary, vectors of parts of documents, the vector of a search.
 */
export type UsageOrigin =
  | "answer"
  | "repair"
  | "fallback"
  | "title"
  | "summary"
  | "embedding"
  | "search";

/** Sums of entries by hour and by day, in UTC. A dimension that an entry does not have is 0 or empty. */
export const usageSums = pgTable(
  "usage_sums",
  {
    workspaceId: number().notNull(),
    period: text().$type<"hour" | "day">().notNull(),
    startsAt: milliseconds().notNull(),
    origin: text().$type<UsageOrigin>().notNull(),
    apiKeyId: number().notNull(),
    userId: number().notNull(),
    agentId: text().notNull(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    currency: text().notNull(),
    calls: number().notNull(),
    unpricedCalls: number().notNull(),
    inputTokens: number().notNull(),
    outputTokens: number().notNull(),
    cachedInputTokens: number().notNull(),
    cacheWriteTokens: number().notNull(),
    reasoningTokens: number().notNull(),
    amount: amount().notNull(),
    /** The part of the amount that is estimated. */
    estimatedAmount: amount().notNull(),
  },
  (table) => [
    primaryKey({
      name: "usage_sums_pk",
      columns: [
        table.workspaceId,
        table.period,
        table.startsAt,
        table.origin,
        table.apiKeyId,
        table.userId,
        table.agentId,
        table.providerId,
        table.modelId,
        table.currency,
      ],
    }),
    index("usage_sums_by_age").on(table.period, table.startsAt),
  ],
);

/**
 * Prices that an operator (no workspace) or a workspace has set, each from a time on, until the next one of the
 * model. Rows are never changed: a price that is removed is a row without prices, from which on the next list counts.
 */
export const modelPrices = pgTable(
  "model_prices",
  {
    id: identity(),
    workspaceId: number(),
    providerId: text().notNull(),
    modelId: text().notNull(),
    validFrom: milliseconds().notNull(),
    currency: text().notNull(),
    /** Nano-units for a million tokens; of those that are null, the input's or the output's counts. */
    input: amount(),
    cachedInput: amount(),
    cacheWrite: amount(),
    output: amount(),
    reasoning: amount(),
    image: amount(),
    /** Where it is from, in the words of who has set it. */
    note: text(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    index("model_prices_by_model").on(
      table.workspaceId,
      table.providerId,
      table.modelId,
      table.validFrom,
      table.id,
    ),
  ],
);

/** Who or what a budget counts for. */
export type BudgetScope = "server" | "workspace" | "api_key" | "agent" | "user" | "conversation";

/** What a budget counts: money, or one of the limits beside it. */
export type BudgetMeasure = "money" | "tool_calls" | "processor_seconds" | "stored_bytes";

export const budgets = pgTable(
  "budgets",
  {
    ...identified(),
    /** Null for one of the server. */
    workspaceId: number(),
    name: text().notNull(),
    scope: text().$type<BudgetScope>().notNull(),
    /** Public id of the key, agent, user or conversation; null for each of them, by itself. */
    subject: text(),
    measure: text().$type<BudgetMeasure>().notNull(),
    /** The time that it is for, in its zone; `all` begins with the budget. */
    period: text().$type<"answer" | "minute" | "day" | "week" | "month" | "all">().notNull(),
    timezone: text().notNull(),
    /** Nano-units of money; else a number of what it counts. */
    limit: amount().notNull(),
    currency: text(),
    isHard: boolean().notNull(),
    /** Whether an operator has set it: the workspace's own admins may not change it. */
    isOperators: boolean().notNull(),
    ...timestamps(),
  },
  (table) => [index("budgets_by_workspace").on(table.workspaceId)],
);

/** What was spent of a budget by one subject in one period: the only row that all its reservations lock. */
export const budgetSpending = pgTable(
  "budget_spending",
  {
    budgetId: number().notNull(),
    /** Empty for a server or workspace. */
    subject: text().notNull(),
    startsAt: milliseconds().notNull(),
    /** Null for a period without an end. */
    endsAt: milliseconds(),
    /** Of processor time, in milliseconds. */
    spent: amount().notNull(),
    reserved: amount().notNull(),
    /** When a call first began although the limit was spent: of a soft budget, that is announced once. */
    reachedAt: milliseconds(),
  },
  (table) => [
    primaryKey({ columns: [table.budgetId, table.subject, table.startsAt] }),
    index("budget_spending_by_end").on(table.endsAt),
  ],
);

/**
 * What calls of models that have not ended may cost at most. `entry` is the row of the ledger that is written if the
 * call is never settled.
 */
export const usageReservations = pgTable("usage_reservations", {
  id: text().primaryKey(),
  workspaceId: number().notNull(),
  logId: text().notNull(),
  attempt: integer().notNull(),
  createdAt: milliseconds().notNull(),
  amount: amount().notNull(),
  entry: jsonb().notNull(),
});

/** The part of a reservation in each budget that applies to it; once it is settled, the next one counts it as spent. */
export const budgetHolds = pgTable(
  "budget_holds",
  {
    reservationId: text().notNull(),
    budgetId: number().notNull(),
    subject: text().notNull(),
    startsAt: milliseconds().notNull(),
    amount: amount().notNull(),
    /** What it has cost. */
    settled: amount(),
  },
  (table) => [
    primaryKey({ columns: [table.reservationId, table.budgetId] }),
    index("budget_holds_settled")
      .on(table.budgetId, table.subject, table.startsAt)
      .where(sql`${table.settled} is not null`),
  ],
);
