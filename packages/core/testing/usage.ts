import { budgets, modelPrices, usageEntries, usageReservations } from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

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
