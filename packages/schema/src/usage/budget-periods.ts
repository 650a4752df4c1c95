import type { BudgetMeasure, BudgetPeriod } from "./budgets.ts";

/** The periods of budgets of a measure. */
export const periodsOfMeasure: Readonly<Record<BudgetMeasure, readonly BudgetPeriod[]>> = {
  money: ["day", "week", "month", "all"],
  tool_calls: ["answer", "minute", "day", "week", "month"],
  processor_seconds: ["day", "week", "month"],
  stored_bytes: ["all"],
};
