import type { SQL } from "drizzle-orm";
import { hasBudget } from "../data-access/has-budget.ts";

/** Whether a budget of money applies in the workspace of this number. */
export const isBudgeted = (workspaceId: SQL): SQL<boolean> => hasBudget(workspaceId, "money");
