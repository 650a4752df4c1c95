import { budgets, hasRow, type Queryable, workspaces } from "@parley/db";
import { invalidRequest } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { findServerCurrency, lockMoney } from "./money-lock.ts";

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
  const refuse = (why: string) =>
    invalidRequest("body", [{ path: "currency", message: `${why}: it keeps ${before.currency}` }]);
  if (await hasPrices(db, { id, currency: before.currency }, now())) {
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

/** Whether a price counts now or later: it is the last of its model, or another follows it later. */
async function hasPrices(
  db: Queryable,
  { id, currency }: { readonly id: number; readonly currency: string },
  now: number,
): Promise<boolean> {
  const isFollowed = sql`from model_prices later
    where later.workspace_id = p.workspace_id and later.currency = p.currency
      and later.provider_id = p.provider_id and later.model_id = p.model_id
      and (later.valid_from, later.id) > (p.valid_from, p.id)
      and (later.valid_from <= ${now} or later.valid_from = p.valid_from)`;
  const prices = hasRow(sql`from model_prices p
    where p.workspace_id = ${id} and p.currency = ${currency} and p.input is not null
      and not ${hasRow(isFollowed)}`);
  const [row] = await db.select({ hasPrices: prices }).from(sql`(select 1) one`);
  return row?.hasPrices === true;
}

async function hasCosts(db: Queryable, id: number): Promise<boolean> {
  const ofWorkspace = (table: string) =>
    hasRow(sql`from ${sql.identifier(table)} u where u.workspace_id = ${id} and u.amount > 0`);
  const costs = sql<boolean>`(${ofWorkspace("usage_sums")} or ${ofWorkspace("usage_entries")})`;
  const [row] = await db.select({ hasCosts: costs }).from(sql`(select 1) one`);
  return row?.hasCosts === true;
}
