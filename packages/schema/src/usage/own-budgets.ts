import * as z from "zod";
import { PaidAmount } from "../parsing/amounts.ts";
import { Milliseconds } from "../parsing/text.ts";
import { BudgetScope } from "./budgets.ts";

/** What the user of a token may still spend. */
export const OwnBudgets = z.object({
  budgets: z
    .array(
      z.object({
        limit: PaidAmount.describe("What the user may spend in each period"),
        spent: PaidAmount.describe("What the user has spent in the current period"),
        left: PaidAmount.describe("What is left for further calls"),
        currency: z.string().describe("Currency of the amounts").meta({ example: "USD" }),
        isHard: z.boolean().describe("Whether calls that could exceed it are refused"),
        endsAt: Milliseconds.nullable().describe("When the current period ends; null for never"),
      }),
    )
    .describe("Budgets of the user"),
  others: z
    .array(
      z.object({
        scope: BudgetScope.describe("What it limits"),
        isHard: z.boolean().describe("Whether calls that could exceed it are refused"),
        isUsedUp: z.boolean().describe("Whether it is used up"),
        endsAt: Milliseconds.nullable().describe("When the current period ends; null for never"),
      }),
    )
    .describe("Budgets of others that apply, without their amounts"),
});
export type OwnBudgets = z.infer<typeof OwnBudgets>;
