import { agentFunctions, budgets, budgetSpending } from "@parley/db";
import { eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

/** Inserts a limit of tool calls of a workspace in a minute, but for what is given. */
export async function insertTestLimit(
  { database, newId, now }: Core,
  workspaceId: number | null,
  given: Partial<typeof budgets.$inferInsert> & Pick<typeof budgets.$inferInsert, "limit">,
): Promise<void> {
  await database.db.insert(budgets).values({
    sid: newId(),
    workspaceId,
    name: "limit",
    scope: "workspace",
    subject: null,
    measure: "tool_calls",
    period: "minute",
    timezone: "UTC",
    currency: null,
    isHard: true,
    isOperators: false,
    createdAt: now(),
    updatedAt: now(),
    ...given,
  });
}

/** Lets an agent call a function. */
export async function offerTestFunction(
  { database }: Core,
  agent: { readonly id: number },
  sandboxFunction: { readonly id: number },
): Promise<void> {
  const row = { agentId: agent.id, functionId: sandboxFunction.id, position: 0 };
  await database.db.insert(agentFunctions).values(row);
}

/** What was spent of the budgets of a workspace, by their numbers. */
export async function readTestSpending({ database }: Core, workspaceId: number): Promise<bigint[]> {
  const rows = await database.db
    .select({ spent: budgetSpending.spent })
    .from(budgetSpending)
    .innerJoin(budgets, eq(budgets.id, budgetSpending.budgetId))
    .where(eq(budgets.workspaceId, workspaceId))
    .orderBy(budgets.id);
  return rows.map(({ spent }) => spent);
}
