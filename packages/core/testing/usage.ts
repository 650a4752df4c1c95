import {
  budgetHolds,
  budgets,
  budgetSpending,
  insertRow,
  modelPrices,
  usageEntries,
  usageReservations,
  usageSums,
} from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Core, CoreContext } from "../src/create-core.ts";
import type { WorkspaceRow } from "../src/data-access/rows.ts";
import { type BilledCall, toLostEntry, writeUsage } from "../src/usage/usage-ledger.ts";

/** Sets a workspace's price of a model, valid since a second ago: 1 and 10 dollars by default. */
export async function insertTestPrice(
  core: Core,
  workspaceId: number,
  { providerId, modelId, ...changes }: ModelPair & Partial<typeof modelPrices.$inferInsert>,
): Promise<void> {
  const at = core.now() - 1000;
  const of = { workspaceId, providerId, modelId, validFrom: at, createdAt: at };
  const price = { currency: "USD", input: 1_000_000_000n, output: 10_000_000_000n };
  await core.database.db.insert(modelPrices).values({ ...of, ...price, ...changes });
}

/** The ledger of a workspace, oldest first. */
export async function readTestUsage(core: Core, workspaceId: number) {
  return core.database.db
    .select()
    .from(usageEntries)
    .where(eq(usageEntries.workspaceId, workspaceId))
    .orderBy(asc(usageEntries.id));
}

/** How many calls of a workspace are reserved. */
export async function countTestReservations(core: Core, workspaceId: number): Promise<number> {
  const of = eq(usageReservations.workspaceId, workspaceId);
  return core.database.db.$count(usageReservations, of);
}

type BudgetValues = typeof budgets.$inferInsert;

/** Inserts a soft budget of a thousand dollars a month, or what `changes` makes of it. */
export async function insertTestBudget(
  { database, newId, now }: Core,
  workspaceId: number | null,
  changes: Partial<BudgetValues> = {},
): Promise<typeof budgets.$inferSelect> {
  return insertRow(database.db, budgets, {
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
  await db.insert(usageEntries).values({ ...entry, ...ofCall, at: now, isEstimated: false });
  const tokens = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0 };
  const sums = { ...tokens, reasoningTokens: 0, calls: 1, unpricedCalls: 0, estimatedAmount: 0n };
  const ofHour = { period: "hour", startsAt: 0, apiKeyId: 0, userId: 0 } as const;
  await db.insert(usageSums).values({ ...entry, ...ofHour, ...sums });
  const price = { ...model, currency: "USD", input: 1n, output: 1n };
  await db.insert(modelPrices).values({ ...price, workspaceId, validFrom: now, createdAt: now });
  const { id: budgetId } = await insertTestBudget(core, id);
  const period = { budgetId, subject: "", startsAt: 0 };
  await db.insert(budgetSpending).values({ ...period, spent: 0n, reserved: 5n });
  const { logId, attempt } = ofCall;
  const reservation = { id: core.newId(), workspaceId, logId, attempt, createdAt: now };
  await db.insert(usageReservations).values({ ...reservation, amount: 5n, entry: {} });
  await db.insert(budgetHolds).values({ ...period, reservationId: reservation.id, amount: 5n });
}

let calls = 0;

/** A call of a model by the key of a context, as the ledger has it; `changes` replace its members. */
export function testCall(
  { caller, now }: CoreContext,
  changes: Partial<BilledCall> = {},
): BilledCall {
  return {
    workspaceId: caller.workspace.id,
    origin: "answer",
    logId: `call of ${caller.workspace.sid}`,
    attempt: 1,
    call: calls++,
    step: 0,
    conversationId: 1,
    spaceId: null,
    apiKeyId: caller.apiKey.id,
    userId: null,
    agentId: "ann",
    providerId: "openai",
    modelId: "gpt-5",
    currency: "USD",
    at: now(),
    inputTokens: 100,
    outputTokens: 10,
    amount: 1_000_000_000n,
    isEstimated: false,
    reservationId: null,
    ...changes,
  };
}

/** Writes calls to the ledger, each with changes of its own. */
export async function writeTestUsage(
  context: CoreContext,
  ...changes: readonly Partial<BilledCall>[]
): Promise<void> {
  const billed = changes.map((one) => testCall(context, one));
  await writeUsage(context.database.db, billed);
}

/** Reserves what a call may cost, as a worker that is gone did a minute ago. */
export async function loseTestCall(
  { database }: CoreContext,
  call: BilledCall & { amount: bigint },
): Promise<void> {
  const { workspaceId, logId, attempt, amount, at } = call;
  await database.db.insert(usageReservations).values({
    id: `${logId} ${call.call}`,
    workspaceId,
    logId,
    attempt,
    amount,
    createdAt: at - 60_000,
    entry: toLostEntry(call, at),
  });
}

/** Counts the entries of the workspace that are, or are not, in the sums. */
export async function countTestUsage(
  { database, caller }: CoreContext,
  isSummed: boolean,
): Promise<number> {
  const ofWorkspace = eq(usageEntries.workspaceId, caller.workspace.id);
  return database.db.$count(usageEntries, and(ofWorkspace, eq(usageEntries.isSummed, isSummed)));
}

/** Gives a budget another limit. */
export async function setTestLimit(core: Core, id: number, limit: bigint): Promise<void> {
  await core.database.db.update(budgets).set({ limit }).where(eq(budgets.id, id));
}
