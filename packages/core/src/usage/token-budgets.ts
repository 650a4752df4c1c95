import { budgets } from "@parley/db";
import {
  type CreatedUserToken,
  type CreateUserToken,
  ParleyError,
  type TokenBudget,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import type { Context, RequestContext } from "../context.ts";
import type { UserRow } from "../data-access/rows.ts";
import type { Transaction } from "../log/transaction.ts";
import { createUserToken } from "../workspaces/user-tokens.ts";
import { changeBudget, insertBudget, removeBudget } from "./budgets.ts";
import { lockWorkspace } from "./model-prices.ts";

/** How the budgets are named that applications set with tokens. */
const NAME = "of the token's application";

/** Creates a token as `createUserToken` does, with what its user may spend if the request says so. */
export async function createBudgetedToken(
  request: RequestContext,
  input: CreateUserToken,
): Promise<CreatedUserToken> {
  const { budget } = input;
  return createUserToken(request, input, async (context, transaction, user) => {
    if (budget !== undefined) await putTokenBudget(context, transaction, { user, budget });
  });
}

/**
 * Sets the budget of a token's user: what the last token said of it counts. Its spending stays, unless it has another
 * period. Throws `app_auth_error` for a key below builder, as it could stop any member, and as `createBudget` does.
 */
async function putTokenBudget(
  context: Context,
  transaction: Transaction,
  { user, budget }: { readonly user: UserRow; readonly budget: TokenBudget },
): Promise<void> {
  if (!seesAllOfWorkspace(context.caller)) {
    const message = "budget: to limit what a user may spend, this needs a key of role builder";
    throw new ParleyError("app_auth_error", message);
  }
  const { db } = transaction;
  const { sid: wId } = context.caller.workspace;
  const { id: workspaceId, currency } = await lockWorkspace(context, db, wId);
  const scope = "user";
  const subject = user.sid;
  const [before] = await db
    .select()
    .from(budgets)
    .where(
      and(
        eq(budgets.workspaceId, workspaceId),
        eq(budgets.scope, scope),
        eq(budgets.subject, subject),
        eq(budgets.name, NAME),
        eq(budgets.isOperators, false),
      ),
    );
  const { limit, isHard, period, timezone } = budget;
  const isSame = before?.period === period && before.timezone === timezone;
  if (before !== undefined) {
    const of = { workspaceId, sid: before.sid };
    if (isSame)
      return void (await changeBudget(context, transaction, { of, changes: { limit, isHard } }));
    await removeBudget(context, transaction, of);
  }
  const of = { workspaceId, scope, subject, currency } as const;
  await insertBudget(context, transaction, {
    input: { name: NAME, measure: "money", ...budget },
    of,
  });
}
