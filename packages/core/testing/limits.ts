import { budgets } from "@parley/db";
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
