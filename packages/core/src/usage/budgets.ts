import { budgetHolds, budgets, budgetSpending, insertRow, type Queryable } from "@parley/db";
import {
  type Budget,
  type BudgetScope,
  type CreateBudget,
  type CreateServerBudget,
  invalidRequest,
  MAX_BUDGETS,
  ParleyError,
  type Success,
  type UpdateBudget,
  type UpdateServerBudget,
} from "@parley/schema";
import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { requireSubject } from "./budget-subjects.ts";
import { countSpent } from "./count-spent.ts";
import { budgetNotFound, readBudget } from "./list-budgets.ts";
import { lockWorkspace, requireCurrency } from "./model-prices.ts";
import { requireOneCurrency } from "../money/money-lock.ts";
import { requireLimit, requireMeasure, rulesOf } from "./measures.ts";
import { requirePricedModels } from "./priced-models.ts";

type BudgetRow = typeof budgets.$inferSelect;

/**
 * Creates a budget in a workspace: what was spent in the current period counts. Throws `invalid_request_error` for
 * another currency, a subject that is not there, too many budgets, and for a hard one if an agent's model has no price.
 */
export async function createBudget(
  request: RequestContext,
  input: CreateBudget,
): Promise<{ budget: Budget }> {
  const context = onSlowDatabase(request);
  return inTransaction(context, async (transaction) => {
    const { id, currency } = await lockWorkspace(context, transaction.db, input.wId);
    requireCurrency("budgets", currency, input.currency);
    requireMeasure(input);
    const { scope, subjectId: subject } = input;
    await requireSubject(transaction.db, { workspaceId: id, scope, subject });
    return insertBudget(context, transaction, {
      input,
      of: { workspaceId: id, scope, subject: subject ?? null, currency },
    });
  });
}

/** Creates a budget of the server, in the currency that all workspaces have. */
export async function createServerBudget(
  request: RequestContext,
  input: CreateServerBudget,
): Promise<{ budget: Budget }> {
  const context = onSlowDatabase(request);
  const { currency } = input;
  requireMeasure({ ...input, scope: "server" });
  return inTransaction(context, async (transaction) => {
    if (input.measure === "money") await requireOneCurrency(transaction.db, currency);
    const of = { workspaceId: null, scope: "server", subject: null, currency } as const;
    return insertBudget(context, transaction, { input, of });
  });
}

/** Creates the budget, in a transaction that has locked its workspace, or the money of the server. */
export async function insertBudget(
  context: Pick<RequestContext, "now" | "newId" | "caller">,
  transaction: Transaction,
  {
    input,
    of,
  }: {
    input: Pick<CreateBudget, "name" | "measure" | "limit" | "period" | "timezone" | "isHard">;
    of: Pick<BudgetRow, "workspaceId" | "scope" | "subject" | "currency">;
  },
): Promise<{ budget: Budget }> {
  const { db, markCreated } = transaction;
  const { workspaceId, scope } = of;
  await requireRoom(db, workspaceId);
  const { name, measure, limit, period, timezone, isHard } = input;
  const isMoney = measure === "money";
  if (isMoney && isHard)
    await requirePricedModels(context, db, { workspaceId, agentId: agentOf(of) });
  const createdAt = context.now();
  const row = await insertRow(db, budgets, {
    ...of,
    sid: context.newId("bud"),
    currency: isMoney ? of.currency : null,
    name,
    measure,
    period,
    timezone,
    limit: rulesOf(measure).toStored(limit),
    isHard,
    isOperators: context.caller.kind === "operator",
    createdAt,
    updatedAt: createdAt,
  });
  if (isMoney) await countSpent(db, { id: row.id, scope }, createdAt);
  markCreated(row.sid);
  hint(transaction, workspaceId);
  return { budget: await readBudget(context, db, { workspaceId, sid: row.sid }) };
}

/** The one agent whose models matter. */
const agentOf = (of: { readonly scope: BudgetScope; readonly subject: string | null }) =>
  of.scope === "agent" ? of.subject : null;

async function requireRoom(db: Queryable, workspaceId: number | null): Promise<void> {
  const isServer = workspaceId === null;
  const most = isServer ? MAX_BUDGETS.server : MAX_BUDGETS.workspace;
  const of = isServer ? isNull(budgets.workspaceId) : eq(budgets.workspaceId, workspaceId);
  if ((await db.$count(budgets, of)) < most) return;
  const message = `the ${isServer ? "server" : "workspace"} has ${most} budgets: delete some, or use one that limits each subject by itself`;
  throw invalidRequest("body", [{ path: "", message }]);
}

/** Changes a budget, from the next call of a model on. Throws `budget_not_found`, and `app_auth_error` for an operator's. */
export async function updateBudget(
  context: RequestContext,
  { wId, budgetId: sid, ...changes }: UpdateBudget,
): Promise<{ budget: Budget }> {
  return inTransaction(context, async (transaction) => {
    const { id: workspaceId } = await administeredWorkspace(context, transaction.db, wId);
    return changeBudget(context, transaction, { of: { workspaceId, sid }, changes });
  });
}

/** Changes a budget of the server, from the next call of a model on. Throws `budget_not_found`. */
export async function updateServerBudget(
  context: RequestContext,
  { budgetId: sid, ...changes }: UpdateServerBudget,
): Promise<{ budget: Budget }> {
  return inTransaction(context, async (transaction) =>
    changeBudget(context, transaction, { of: { workspaceId: null, sid }, changes }),
  );
}

interface BudgetOf {
  readonly workspaceId: number | null;
  readonly sid: string;
}

/** Changes a budget in a transaction. */
export async function changeBudget(
  context: Pick<RequestContext, "now" | "caller">,
  transaction: Transaction,
  { of, changes }: { of: BudgetOf; changes: Partial<Omit<UpdateServerBudget, "budgetId">> },
): Promise<{ budget: Budget }> {
  const { db } = transaction;
  const before = await requireBudget(context, db, of);
  const { name = before.name, isHard = before.isHard } = changes;
  const { measure } = before;
  if (changes.limit !== undefined) requireLimit(measure, changes.limit);
  if (measure !== "money" && !isHard) requireMeasure({ ...before, limit: "0", isHard });
  if (isHard && !before.isHard) {
    const { workspaceId } = of;
    await requirePricedModels(context, db, { workspaceId, agentId: agentOf(before) });
  }
  const limit =
    changes.limit === undefined ? before.limit : rulesOf(measure).toStored(changes.limit);
  const updatedAt = context.now();
  await db.update(budgets).set({ name, isHard, limit, updatedAt }).where(eq(budgets.id, before.id));
  // Those who had reached the old limit are announced again when they reach the new one.
  const { budgetId, spent, reachedAt } = budgetSpending;
  await db
    .update(budgetSpending)
    .set({ reachedAt: null })
    .where(and(eq(budgetId, before.id), isNotNull(reachedAt), lt(spent, limit)));
  hint(transaction, of.workspaceId);
  return { budget: await readBudget(context, db, of) };
}

/** Deletes a budget with what was counted for it. Throws as `updateBudget` does. */
export async function deleteBudget(
  context: RequestContext,
  { wId, budgetId: sid }: { wId: string; budgetId: string },
): Promise<Success> {
  return inTransaction(context, async (transaction) => {
    const { id: workspaceId } = await administeredWorkspace(context, transaction.db, wId);
    return removeBudget(context, transaction, { workspaceId, sid });
  });
}

/** Deletes a budget of the server with what was counted for it. Throws `budget_not_found`. */
export async function deleteServerBudget(
  context: RequestContext,
  { budgetId: sid }: { budgetId: string },
): Promise<Success> {
  return inTransaction(context, async (transaction) =>
    removeBudget(context, transaction, { workspaceId: null, sid }),
  );
}

/** Deletes a budget in a transaction. */
export async function removeBudget(
  context: Pick<RequestContext, "caller">,
  transaction: Transaction,
  of: BudgetOf,
): Promise<Success> {
  const { db } = transaction;
  const { id } = await requireBudget(context, db, of);
  await db.delete(budgets).where(eq(budgets.id, id));
  await db.delete(budgetSpending).where(eq(budgetSpending.budgetId, id));
  await db.delete(budgetHolds).where(eq(budgetHolds.budgetId, id));
  hint(transaction, of.workspaceId);
  return { success: true };
}

/** The locked budget, if the caller may change it. */
async function requireBudget(
  { caller }: Pick<RequestContext, "caller">,
  db: Queryable,
  of: BudgetOf,
): Promise<BudgetRow> {
  const { workspaceId, sid } = of;
  const ofOwner =
    workspaceId === null ? isNull(budgets.workspaceId) : eq(budgets.workspaceId, workspaceId);
  const [row] = await db
    .select()
    .from(budgets)
    .where(and(ofOwner, eq(budgets.sid, sid)))
    .for("update");
  if (row === undefined) throw budgetNotFound(of);
  if (row.isOperators && caller.kind !== "operator") {
    const message = "An operator of the server has set this budget: ask one to change it";
    throw new ParleyError("app_auth_error", message);
  }
  return row;
}

/** Callers are cached together with whether budgets apply to them; those of the server apply to all. */
function hint({ afterCommit }: Transaction, workspaceId: number | null): void {
  afterCommit.push(workspaceId === null ? { topic: "keys" } : { topic: "keys", workspaceId });
}
