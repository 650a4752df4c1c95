import { budgets, type Queryable, workspaces } from "@parley/db";
import { invalidRequest } from "@parley/schema";
import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm";

/** Class of the advisory lock. */
const LOCK_CLASS = 1_886_680_174;

const lock: SQL = sql`select pg_advisory_xact_lock(${sql.raw(String(LOCK_CLASS))}, 0)`;

/**
 * Until the transaction ends, no other adds a price or a budget of the server, or gives a workspace its currency. So
 * the numbers of prices ascend as they are committed, and the currency of the server's budgets is that of all.
 */
export async function lockMoney(db: Queryable): Promise<void> {
  await db.execute(lock);
}

/** Locks the server's money. Throws `invalid_request_error` if a workspace or budget has another currency. */
export async function requireOneCurrency(db: Queryable, currency: string): Promise<void> {
  await lockMoney(db);
  const ofOthers = and(isNull(workspaces.deletedAt), ne(workspaces.currency, currency));
  const others = await db.$count(workspaces, ofOthers);
  const ofServer = and(isNull(budgets.workspaceId), ne(budgets.currency, currency));
  if (others === 0 && (await db.$count(budgets, ofServer)) === 0) return;
  const which =
    others === 0 ? "budgets of the server have another" : `${others} workspaces have another`;
  const message = `a budget of the server needs one currency in all workspaces, and ${which} than ${currency}`;
  throw invalidRequest("body", [{ path: "currency", message }]);
}

/** The currency of the server's budgets; undefined without any. */
export async function findServerCurrency(db: Queryable): Promise<string | undefined> {
  const [row] = await db
    .select({ currency: budgets.currency })
    .from(budgets)
    .where(and(isNull(budgets.workspaceId), eq(budgets.measure, "money")))
    .limit(1);
  return row?.currency ?? undefined;
}
