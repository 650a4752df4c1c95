import { type Queryable, statement } from "@parley/db";
import type { BudgetScope } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { endOfPeriod, startOfPeriod } from "./budget-periods.ts";

/** By scope, what entries are summed by, and the subject that a sum is of. */
const scopes: Readonly<Record<BudgetScope, { readonly column: string; readonly subject: string }>> =
  {
    server: { column: "null::bigint", subject: "''" },
    workspace: { column: "null::bigint", subject: "''" },
    agent: { column: "e.agent_id", subject: "e.of" },
    api_key: { column: "e.api_key_id", subject: "(select sid from api_keys where id = e.of)" },
    user: { column: "e.user_id", subject: "(select sid from users where id = e.of)" },
    conversation: {
      // Of a task, the conversation that it comes from.
      column:
        "coalesce((select root_id from conversations where id = e.conversation_id), e.conversation_id)",
      subject: "(select sid from conversations where id = e.of)",
    },
  };

const budget = sql.raw("b");
const now = sql`${sql.placeholder("now")}::bigint`;

const countIn = ({ column, subject }: (typeof scopes)[BudgetScope]): SQL => sql`
  insert into budget_spending (budget_id, subject, starts_at, ends_at, spent, reserved)
  select b.id, s.subject, p.starts_at, p.ends_at, e.spent, 0
  from budgets b
  cross join lateral (
    select ${startOfPeriod(budget, now)} as starts_at, ${endOfPeriod(budget, now)} as ends_at
  ) p
  cross join lateral (
    select ${sql.raw(column)} as of, sum(e.amount)::bigint as spent from usage_entries e
    where (b.workspace_id is null or e.workspace_id = b.workspace_id)
      and e.at >= p.starts_at and e.amount > 0
    group by 1
  ) e
  cross join lateral (select ${sql.raw(subject)} as subject) s
  where b.id = ${sql.placeholder("budgetId")}::bigint and b.period <> 'all'
    and s.subject = coalesce(b.subject, s.subject)`;

const countStatements = Object.fromEntries(
  Object.entries(scopes).map(([scope, of]) => [
    scope,
    statement<{ budgetId: number; now: number }>(`count_spent_${scope}`, countIn(of)),
  ]),
) as Record<BudgetScope, ReturnType<typeof statement<{ budgetId: number; now: number }>>>;

/** Counts what was spent in the current period of a new budget; one without an end begins at 0. */
export async function countSpent(
  db: Queryable,
  { id, scope }: { readonly id: number; readonly scope: BudgetScope },
  time: number,
): Promise<void> {
  await countStatements[scope].execute(db, { budgetId: id, now: time });
}
