import { budgets, hasRow, type Queryable, workspaces } from "@parley/db";
import { invalidRequest } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { currentPrices, readOwnPrices } from "./model-prices.ts";
import { findServerCurrency, lockMoney } from "./money-lock.ts";
import { isPrice } from "./price-lists.ts";

/**
 * Locks the workspace, and throws `invalid_request_error` if it cannot have a new currency: amounts are never
 * converted, so it has none.
 */
export async function requireNewCurrency(
  { now }: Pick<RequestContext, "now">,
  db: Queryable,
  { id, currency }: { readonly id: number; readonly currency: string },
): Promise<void> {
  const [before] = await db
    .select({ currency: workspaces.currency })
    .from(workspaces)
    .where(eq(workspaces.id, id))
    .for("no key update");
  if (before === undefined || before.currency === currency) return;
  await lockMoney(db);
  const owner = { workspaceId: id, currency: before.currency };
  const prices = currentPrices(await readOwnPrices(db, owner), now()).filter(isPrice);
  const refuse = (why: string) =>
    invalidRequest("body", [{ path: "currency", message: `${why}: it keeps ${before.currency}` }]);
  if (prices.length > 0) {
    throw refuse(`the workspace has prices in ${before.currency}, which are to be removed first`);
  }
  const isMoneys = and(eq(budgets.workspaceId, id), eq(budgets.measure, "money"));
  if ((await db.$count(budgets, isMoneys)) > 0) {
    throw refuse(`the workspace has budgets in ${before.currency}, which are to be deleted first`);
  }
  if (await hasCosts(db, id)) {
    throw refuse(`the workspace has costs in ${before.currency}, which are not converted`);
  }
  const ofServer = await findServerCurrency(db);
  if (ofServer !== undefined && ofServer !== currency) {
    throw refuse(`budgets of the server are in ${ofServer}, and so are all workspaces`);
  }
}

async function hasCosts(db: Queryable, id: number): Promise<boolean> {
  const ofWorkspace = (table: string) =>
    hasRow(sql`from ${sql.identifier(table)} u where u.workspace_id = ${id} and u.amount > 0`);
  const costs = sql<boolean>`(${ofWorkspace("usage_sums")} or ${ofWorkspace("usage_entries")})`;
  const [row] = await db.select({ hasCosts: costs }).from(sql`(select 1) one`);
  return row?.hasCosts === true;
}
