import * as tables from "@parley/db";
import type { Core } from "../src/create-core.ts";
import type { WorkspaceRow } from "../src/data-access/rows.ts";

type BudgetValues = typeof tables.budgets.$inferInsert;

/** Inserts a soft budget of a thousand dollars a month, or what `changes` makes of it. */
export async function insertTestBudget(
  { database, newId, now }: Core,
  workspaceId: number | null,
  changes: Partial<BudgetValues> = {},
): Promise<typeof tables.budgets.$inferSelect> {
  return tables.insertRow(database.db, tables.budgets, {
    sid: newId("bud"),
    workspaceId,
    name: "team",
    scope: "workspace",
    measure: "money",
    period: "month",
    timezone: "UTC",
    limit: 1_000_000_000_000n,
    currency: "USD",
    isHard: false,
    isOperators: false,
    createdAt: now(),
    updatedAt: now(),
    ...changes,
  });
}

/** Inserts a row of each table of money in a workspace. */
export async function insertTestUsage(core: Core, { id }: WorkspaceRow): Promise<void> {
  const { db } = core.database;
  const now = core.now();
  const workspaceId = id;
  const model = { providerId: "openai", modelId: "gpt-5" };
  const paid = { currency: "USD", amount: 5n };
  const entry = { ...model, ...paid, workspaceId, agentId: "ann", origin: "answer" } as const;
  const ofCall = { logId: core.newId(), attempt: 1, call: 0, step: 0, conversationId: 1 };
  await db.insert(tables.usageEntries).values({ ...entry, ...ofCall, at: now, isEstimated: false });
  const tokens = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0 };
  const sums = { ...tokens, reasoningTokens: 0, calls: 1, unpricedCalls: 0, estimatedAmount: 0n };
  const ofHour = { period: "hour", startsAt: 0, apiKeyId: 0, userId: 0 } as const;
  await db.insert(tables.usageSums).values({ ...entry, ...ofHour, ...sums });
  const price = { ...model, currency: "USD", input: 1n, output: 1n };
  await db
    .insert(tables.modelPrices)
    .values({ ...price, workspaceId, validFrom: now, createdAt: now });
  const { id: budgetId } = await insertTestBudget(core, id);
  const period = { budgetId, subject: "", startsAt: 0 };
  await db.insert(tables.budgetSpending).values({ ...period, spent: 0n, reserved: 5n });
  const { logId, attempt } = ofCall;
  const reservation = { id: core.newId(), workspaceId, logId, attempt, createdAt: now };
  await db.insert(tables.usageReservations).values({ ...reservation, amount: 5n, entry: {} });
  await db
    .insert(tables.budgetHolds)
    .values({ ...period, reservationId: reservation.id, amount: 5n });
}
