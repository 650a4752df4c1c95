import { statement } from "@parley/db";
import type { BudgetScope, OwnBudgets } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { toDecimal } from "./prices.ts";

interface OwnRow {
  readonly scope: BudgetScope;
  readonly isHard: boolean;
  readonly endsAt: number | null;
  readonly limit: string;
  readonly spent: string;
  readonly reserved: string;
}

const ownStatement = statement<
  { workspaceId: number; apiKeyId: number; userId: number; now: number },
  OwnRow
>(
  "read_own_budgets",
  sql`
  select b.scope, b.is_hard as "isHard", b.ends_at::float8 as "endsAt", b."limit"::text as "limit",
    (coalesce(s.spent, 0) + coalesce(h.settled, 0))::text as spent,
    (coalesce(s.reserved, 0) - coalesce(h.amount, 0))::text as reserved
  from budgets_of(${sql.placeholder("workspaceId")}::bigint, ${sql.placeholder("apiKeyId")}::bigint,
    ${sql.placeholder("userId")}::bigint, null, null, ${sql.placeholder("now")}::bigint) b
  left join budget_spending s using (budget_id, subject, starts_at)
  left join lateral (
    select sum(settled) as settled, sum(amount) as amount from budget_holds
    where budget_id = b.budget_id and subject = b.subject and starts_at = b.starts_at and settled is not null
  ) h on true
  order by b.budget_id`,
);

/**
 * The budgets that apply to the calling user in every conversation: the amounts of the user's own only, and of others
 * whether they are used up. Reads nothing where no budget applies.
 */
export async function readOwnBudgets({
  caller,
  database,
  now,
}: Pick<Context, "caller" | "database" | "now">): Promise<OwnBudgets> {
  if (!caller.isBudgeted) return { budgets: [], others: [] };
  const { workspace, apiKey, user } = caller;
  const of = { workspaceId: workspace.id, apiKeyId: apiKey.id, userId: user.id, now: now() };
  const rows = await ownStatement.execute(database.db, of);
  const { currency } = workspace;
  const isOwn = ({ scope }: OwnRow): boolean => scope === "user";
  return {
    budgets: rows.filter(isOwn).map((row) => renderOwn(row, currency)),
    others: rows
      .filter((row) => !isOwn(row))
      .map(({ scope, isHard, endsAt, limit, spent }) => {
        return { scope, isHard, isUsedUp: BigInt(spent) >= BigInt(limit), endsAt };
      }),
  };
}

function renderOwn({ isHard, endsAt, ...row }: OwnRow, currency: string) {
  const [limit, spent, reserved] = [BigInt(row.limit), BigInt(row.spent), BigInt(row.reserved)];
  const left = limit - spent - reserved;
  return {
    limit: toDecimal(limit),
    spent: toDecimal(spent),
    left: toDecimal(left > 0n ? left : 0n),
    currency,
    isHard,
    endsAt,
  };
}
