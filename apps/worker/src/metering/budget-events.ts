import type { MessageEvent, ReachedBudget } from "@parley/schema";

type Reached = Extract<MessageEvent, { type: "agent_message_budget" }>;

/** Says which soft budgets a call has found used up; nothing without any. */
export function budgetEvents(
  { now, ...ids }: Pick<Reached, "configurationId" | "messageId"> & { readonly now: () => number },
  step: number,
  budgets: readonly ReachedBudget[],
): Reached[] {
  if (budgets.length === 0) return [];
  return [{ type: "agent_message_budget", created: now(), ...ids, step, budgets: [...budgets] }];
}
