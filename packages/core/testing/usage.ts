import { budgets, modelPrices, usageEntries, usageReservations } from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Core, CoreContext } from "../src/create-core.ts";
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

/** Sets a budget of a workspace: hard, of money, for a month in UTC, by default. Gives its row. */
export async function insertTestBudget(
  core: Core,
  workspaceId: number,
  changes: Pick<typeof budgets.$inferInsert, "limit"> & Partial<typeof budgets.$inferInsert>,
) {
  const at = core.now();
  const of = { sid: core.newId(), workspaceId, name: "team", scope: "workspace" } as const;
  const counted = { measure: "money", period: "month", timezone: "UTC", currency: "USD" } as const;
  const kept = { isHard: true, isOperators: false, createdAt: at, updatedAt: at };
  const values = { ...of, ...counted, ...kept, ...changes };
  const [row] = await core.database.db.insert(budgets).values(values).returning();
  return row!;
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
