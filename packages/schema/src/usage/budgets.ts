import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd, pageQuery } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { RequestedTimezone } from "../parsing/timezones.ts";
import { Amount, Currency, PaidAmount } from "../parsing/amounts.ts";
import { periodsOfMeasure } from "./budget-periods.ts";

/** Budgets of a workspace, and of the server, at most: each call of a model looks at all of them. */
export const MAX_BUDGETS = { workspace: 200, server: 50 } as const;

const WorkspaceBudgetScope = z.enum(["workspace", "api_key", "agent", "user", "conversation"]);
export const BudgetScope = z.enum(["server", ...WorkspaceBudgetScope.options]);
export type BudgetScope = z.infer<typeof BudgetScope>;

/** What a budget counts: money, or one of the limits beside it. */
export const BudgetMeasure = z.enum(["money", "tool_calls", "processor_seconds", "stored_bytes"]);
export type BudgetMeasure = z.infer<typeof BudgetMeasure>;
export const BudgetPeriod = z.enum(["answer", "minute", "day", "week", "month", "all"]);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

/** What a subject has spent of a budget in the current period. */
export const BudgetSpending = z.object({
  subjectId: z
    .string()
    .nullable()
    .describe("Id of the key, agent, user or conversation; null for a workspace or the server")
    .meta({ example: "key_Hs6Lp1Qv8D" }),
  spent: PaidAmount.describe("What it has spent"),
  reserved: PaidAmount.describe("What calls in progress may cost at most"),
  left: PaidAmount.describe("What is left of the limit for further calls"),
  isUsedUp: z.boolean().describe("Whether it has spent the limit"),
});
export type BudgetSpending = z.infer<typeof BudgetSpending>;

const name = text(255, 1).describe("Name of the budget").meta({ example: "Support team" });
/** Bytes have more digits than an amount of money. */
const limit = z
  .string()
  .regex(/^\d{1,15}(?:\.\d{1,9})?$/, {
    error:
      'must be a number in a string, such as "12.5": of money, at most 9 digits before the point and 9 after it; else a whole number of at most 15 digits',
  })
  .describe(
    "What may be spent in each period: an amount of money, or a whole number of what it counts",
  )
  .meta({ example: "250" });
const timezone = z.string().describe("IANA time zone of its periods").meta({ example: "UTC" });

/** A budget, with what is spent of it. */
export const Budget = z.object({
  sId: z.string().describe("Id of the budget").meta({ example: "bud_Ma5Xq9Td2L" }),
  name: z.string().describe("Name of the budget").meta({ example: "Support team" }),
  scope: BudgetScope.describe("What it limits"),
  subjectId: z
    .string()
    .nullable()
    .describe(
      "Id of the key, agent, user or conversation that it limits; null for each of them by itself, and for a workspace or the server",
    )
    .meta({ example: null }),
  measure: BudgetMeasure.describe("What it counts"),
  currency: z
    .string()
    .nullable()
    .describe("Currency of its amounts; null for a budget of something else than money")
    .meta({ example: "USD" }),
  limit: PaidAmount.describe("What may be spent in each period").meta({ example: "250" }),
  period: BudgetPeriod.describe("How long a period is; all has no end"),
  timezone,
  isHard: z
    .boolean()
    .describe("Whether calls that could exceed it are refused; otherwise it only warns"),
  isOperators: z.boolean().describe("Whether an operator has set it, so that only one changes it"),
  startsAt: Milliseconds.describe("When the current period began"),
  endsAt: Milliseconds.nullable().describe("When it ends; null for all"),
  spending: BudgetSpending.nullable().describe(
    "Spending in the current period; of a budget for each one by itself, that of the one that has spent the most, or null",
  ),
  subjects: z
    .int()
    .describe("How many have spent something in the current period")
    .meta({ example: 3 }),
  usedUp: z.int().describe("How many have spent the limit").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type Budget = z.infer<typeof Budget>;

const limits = {
  name,
  measure: BudgetMeasure.default("money").describe(
    "What it counts: money; calls of tools; seconds of processor time of functions; or bytes that are stored",
  ),
  limit,
  period: BudgetPeriod.describe(
    "How long a period is: day, week, month or all for money; answer, minute, day, week or month for calls of tools; " +
      "day, week or month for processor time; all for bytes. all has no end and begins now",
  ),
  timezone: RequestedTimezone.default("UTC").describe(
    "IANA time zone in which periods begin at midnight, weeks on Monday; UTC by default",
  ),
  isHard: z
    .boolean()
    .default(true)
    .describe("Whether calls that could exceed it are refused; true by default"),
};

export const CreateBudget = WorkspaceParams.extend({
  ...limits,
  scope: WorkspaceBudgetScope.describe("What it limits"),
  subjectId: optional(Reference).describe(
    "Id of the one key, agent, user or conversation to limit; each of them by itself by default",
  ),
  currency: optional(Currency).describe("Currency; it can only be that of the workspace"),
});
export type CreateBudget = z.output<typeof CreateBudget>;

export const CreateServerBudget = z.object({
  ...limits,
  currency: Currency.default("USD").describe(
    "Currency: all workspaces must have the same; USD by default",
  ),
});
export type CreateServerBudget = z.output<typeof CreateServerBudget>;

const budgetId = Reference.describe("Id of the budget").meta({ example: "bud_Ma5Xq9Td2L" });
const ServerBudgetIdentity = z.object({ budgetId });
const BudgetIdentity = WorkspaceParams.extend({ budgetId });

const changes = {
  name: optional(name).describe("New name"),
  limit: optional(limit).describe("New limit, from the next call of a model on"),
  isHard: optional(z.boolean()).describe("Whether calls that could exceed it are refused"),
};

export const UpdateBudget = BudgetIdentity.extend(changes);
export type UpdateBudget = z.output<typeof UpdateBudget>;
export const UpdateServerBudget = ServerBudgetIdentity.extend(changes);
export type UpdateServerBudget = z.output<typeof UpdateServerBudget>;

export const DeleteBudget = BudgetIdentity;
export const DeleteServerBudget = ServerBudgetIdentity;

export const ListServerBudgets = z.object(pageByNumber("Budgets"));
export const ListBudgets = WorkspaceParams.extend(ListServerBudgets.shape);
export type ListBudgets = z.output<typeof ListBudgets>;
export type ListServerBudgets = z.output<typeof ListServerBudgets>;

export const BudgetPage = z.object({
  budgets: z.array(Budget).describe("Budgets, in the order in which they were created"),
  ...pageEnd,
});
export type BudgetPage = z.infer<typeof BudgetPage>;

export const ListBudgetSpending = BudgetIdentity.extend(
  pageQuery("Subjects", { defaultLimit: 100, place: Reference }),
);
export type ListBudgetSpending = z.output<typeof ListBudgetSpending>;

export const BudgetSpendingPage = z.object({
  spending: z
    .array(BudgetSpending)
    .describe("Those who have spent something in the current period, by their ids"),
  ...pageEnd,
});
export type BudgetSpendingPage = z.infer<typeof BudgetSpendingPage>;

const WrittenBudget = z.object({ budget: Budget.describe("The budget") });
export type WrittenBudget = z.infer<typeof WrittenBudget>;

const { timezone: ofPeriods, isHard } = limits;

/** A budget of money for the user of a token, which its application sets. */
export const TokenBudget = z.object({
  limit: Amount.describe("What may be spent in each period").meta({ example: "250" }),
  period: BudgetPeriod.extract(periodsOfMeasure.money).describe(
    "How long a period is; all has no end and begins now",
  ),
  timezone: ofPeriods,
  isHard,
});
export type TokenBudget = z.output<typeof TokenBudget>;

const path = `${administered}/budgets` as const;
const serverPath = "/api/admin/budgets";

/** Operations on budgets, of a workspace and of the server. */
export const budgetEndpoints = {
  "budgets.list": {
    ...administer({ role: "builder", method: "GET", path, input: ListBudgets }),
    summary: "List the budgets of a workspace, with what is spent",
    output: BudgetPage,
  },
  "budgets.listSpending": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${path}/{budgetId}/spending`,
      input: ListBudgetSpending,
    }),
    summary: "List who has spent how much of a budget",
    output: BudgetSpendingPage,
    errors: ["workspace_not_found", "budget_not_found"],
  },
  "budgets.create": {
    ...administer({ role: "admin", method: "POST", path, input: CreateBudget }),
    summary: "Create a budget in a workspace",
    subject: [],
    output: WrittenBudget,
    errors: [
      "workspace_not_found",
      "api_key_not_found",
      "agent_not_found",
      "member_not_found",
      "conversation_not_found",
    ],
  },
  "budgets.update": {
    ...administer({
      role: "admin",
      method: "PATCH",
      path: `${path}/{budgetId}`,
      input: UpdateBudget,
    }),
    storesLittle: true,
    summary: "Change a budget",
    subject: ["budgetId"],
    output: WrittenBudget,
    errors: ["workspace_not_found", "budget_not_found"],
  },
  "budgets.delete": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${path}/{budgetId}`,
      input: DeleteBudget,
    }),
    summary: "Delete a budget",
    subject: ["budgetId"],
    output: Success,
    errors: ["workspace_not_found", "budget_not_found"],
  },
  "budgets.listServer": {
    ...administer({ role: "operator", method: "GET", path: serverPath, input: ListServerBudgets }),
    summary: "List the budgets of the server, with what is spent",
    output: BudgetPage,
    errors: [],
  },
  "budgets.createServer": {
    ...administer({
      role: "operator",
      method: "POST",
      path: serverPath,
      input: CreateServerBudget,
    }),
    summary: "Create a budget of the server",
    subject: [],
    output: WrittenBudget,
    errors: [],
  },
  "budgets.updateServer": {
    ...administer({
      role: "operator",
      method: "PATCH",
      path: `${serverPath}/{budgetId}`,
      input: UpdateServerBudget,
    }),
    summary: "Change a budget of the server",
    subject: ["budgetId"],
    output: WrittenBudget,
    errors: ["budget_not_found"],
  },
  "budgets.deleteServer": {
    ...administer({
      role: "operator",
      method: "DELETE",
      path: `${serverPath}/{budgetId}`,
      input: DeleteServerBudget,
    }),
    summary: "Delete a budget of the server",
    subject: ["budgetId"],
    output: Success,
    errors: ["budget_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
