import { statement } from "@parley/db";
import type { OwnUsage } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { readOwnBudgets } from "./own-budgets.ts";
import { entrySums } from "./sum-usage.ts";
import { figuresOf, type SummedFigures, summedFigures } from "./usage-figures.ts";

interface Day extends SummedFigures {
  readonly date: string;
}

const ownStatement = statement<
  {
    workspaceId: number;
    userId: number;
    startsAt: number;
    endsAt: number;
  },
  Day
>(
  "read_own_usage",
  sql`
  with own as (
    select starts_at as at, currency, calls, unpriced_calls, input_tokens, output_tokens, cached_input_tokens,
      cache_write_tokens, reasoning_tokens, amount, estimated_amount
    from usage_sums
    where workspace_id = ${sql.placeholder("workspaceId")}::bigint and period = 'day'
      and starts_at >= ${sql.placeholder("startsAt")}::bigint and starts_at < ${sql.placeholder("endsAt")}::bigint
      and user_id = ${sql.placeholder("userId")}::bigint
    union all
    select at, currency, ${entrySums("e")}
    from usage_entries e
    where workspace_id = ${sql.placeholder("workspaceId")}::bigint and not is_summed
      and at >= ${sql.placeholder("startsAt")}::bigint and at < ${sql.placeholder("endsAt")}::bigint
      and user_id = ${sql.placeholder("userId")}::bigint
  )
  select (to_timestamp(at / 1000.0) at time zone 'UTC')::date::text as date, currency, ${summedFigures}
  from own group by 1, 2 order by 1, 2`,
);

/** Reads what the caller's user has used since the month began in UTC: of a key, its service user. */
export async function getOwnUsage(context: Context): Promise<OwnUsage> {
  const { database, caller, now } = context;
  const today = new Date(now());
  const startOf = (month: number) => Date.UTC(today.getUTCFullYear(), month);
  const startsAt = startOf(today.getUTCMonth());
  const endsAt = startOf(today.getUTCMonth() + 1);
  const { workspace, user } = caller;
  const rows = await ownStatement.execute(database.db, {
    workspaceId: workspace.id,
    userId: user.id,
    startsAt,
    endsAt,
  });
  const currencies = Map.groupBy(rows, ({ currency }) => currency);
  return {
    startsAt,
    endsAt,
    days: rows.map((row) => ({ date: row.date, currency: row.currency, ...figuresOf([row]) })),
    totals: [...currencies].map(([currency, of]) => ({ currency, ...figuresOf(of) })),
    ...(await readOwnBudgets(context)),
  };
}
