/** The periods of budgets of a measure. */
export const periodsOfMeasure = {
  money: ["day", "week", "month", "all"],
  tool_calls: ["answer", "minute", "day", "week", "month"],
  processor_seconds: ["day", "week", "month"],
  stored_bytes: ["all"],
} as const;
