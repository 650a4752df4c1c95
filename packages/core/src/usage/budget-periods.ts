import { type SQL, sql } from "drizzle-orm";

/** The beginning of a period in its zone; `all` and `answer` begin at 0. */
const beginning = (budget: SQL, now: SQL): SQL => sql`
  date_trunc(${budget}.period, to_timestamp(${now} / 1000.0) at time zone ${budget}.timezone)`;

const toMilliseconds = (budget: SQL, local: SQL): SQL =>
  sql`(extract(epoch from (${local}) at time zone ${budget}.timezone) * 1000)::bigint`;

/** When the current period of the budget with this alias began, in milliseconds, as `budgets_of` has it. */
export const startOfPeriod = (budget: SQL, now: SQL): SQL => sql`
  case when ${budget}.period in ('all', 'answer') then 0 else ${toMilliseconds(budget, beginning(budget, now))} end`;

/** When it ends; null for these. */
export const endOfPeriod = (budget: SQL, now: SQL): SQL => {
  const next = sql`${beginning(budget, now)} + ('1 ' || ${budget}.period)::interval`;
  return sql`case when ${budget}.period in ('all', 'answer') then null else ${toMilliseconds(budget, next)} end`;
};

/**
 * Rows of what each subject of the budget with this alias has spent in the period that begins at `start`: a call that
 * has ended counts as spent, also before the next reservation has counted it.
 */
export const spendingOf = (budget: SQL, start: SQL): SQL => sql`
  select s.subject, s.spent + coalesce(h.settled, 0) as spent, s.reserved - coalesce(h.amount, 0) as reserved
  from budget_spending s left join lateral (
    select sum(settled) as settled, sum(amount) as amount from budget_holds
    where budget_id = s.budget_id and subject = s.subject and starts_at = s.starts_at and settled is not null
  ) h on true
  where s.budget_id = ${budget}.id and s.starts_at = ${start}`;
