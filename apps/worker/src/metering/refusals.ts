import { BUDGET_EXCEEDED, type RefusedCall } from "@parley/agent";
import { type Reserved, scopeNames } from "@parley/core";

/** Why a call may not be sent: with the scope of the budget and the end of its period, and no figure. */
export function refusal({
  outcome,
  scope,
  endsAt,
}: Exclude<Reserved, { outcome: "granted" | "none" }>): RefusedCall {
  const budget = `The budget of ${scopeNames[scope]}`;
  const end = endsAt === null ? "" : `; its period ends at ${new Date(endsAt).toISOString()}`;
  if (outcome === "unpriced") {
    const message = `${budget} cannot hold for a model without a price: an admin can set one`;
    return { code: BUDGET_EXCEEDED, message };
  }
  const why = outcome === "busy" ? "is reserved by other answers" : "is used up";
  return { code: BUDGET_EXCEEDED, message: `${budget} ${why}${end}` };
}
