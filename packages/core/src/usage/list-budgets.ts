import { type Queryable, statement } from "@parley/db";
import {
  type Budget,
  type BudgetPage,
  type BudgetSpending,
  type BudgetSpendingPage,
  type ListBudgets,
  type ListBudgetSpending,
  type ListServerBudgets,
  ParleyError,
} from "@parley/schema";
import { sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { endOfPeriod, spendingOf, startOfPeriod } from "./budget-periods.ts";
import { rulesOf } from "./measures.ts";

/** What a subject has spent: whole numbers of nano-units, which JSON numbers do not hold. */
interface SpentRow {
  readonly subject: string;
  readonly spent: string;
  readonly reserved: string;
}

interface BudgetRow extends Pick<
  Budget,
  | "name"
  | "scope"
  | "measure"
  | "period"
  | "timezone"
  | "isHard"
  | "isOperators"
  | "createdAt"
  | "updatedAt"
> {
  readonly id: number;
  readonly sid: string;
  readonly subject: string | null;
  readonly limit: string;
  readonly currency: string | null;
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly subjects: number;
  readonly usedUp: number;
  /** Those who have spent the most. */
  readonly most: SpentRow | null;
}

const budget = sql.raw("b");
/** What is spent is counted in smaller units than the limit. */
const spentUnits = sql.raw("case b.measure when 'processor_seconds' then 1000 else 1 end");
const now = sql`${sql.placeholder("now")}::bigint`;
const workspaceId = sql`${sql.placeholder("workspaceId")}::bigint`;
const sid = sql`${sql.placeholder("sid")}::text`;

const listStatement = statement<
  { workspaceId: number | null; sid: string | null; after: number; now: number; limit: number },
  BudgetRow
>(
  "list_budgets",
  sql`
  select b.id::float8 as id, b.sid, b.name, b.scope, b.subject, b.measure, b.period, b.timezone, b."limit"::text as "limit",
    b.currency, b.is_hard as "isHard", b.is_operators as "isOperators",
    b.created_at::float8 as "createdAt", b.updated_at::float8 as "updatedAt",
    p.starts_at::float8 as "startsAt", p.ends_at::float8 as "endsAt", spending.*
  from budgets b
  cross join lateral (
    select ${startOfPeriod(budget, now)} as starts_at, ${endOfPeriod(budget, now)} as ends_at
  ) p
  cross join lateral (
    select count(*) filter (where one.spent > 0)::int as subjects,
      count(*) filter (where one.spent >= b."limit" * ${spentUnits})::int as "usedUp",
      (array_agg(
        json_build_object('subject', one.subject, 'spent', one.spent::text, 'reserved', one.reserved::text)
        order by one.spent desc, one.subject
      ))[1] as most
    from (${spendingOf(budget, sql.raw("p.starts_at"))}) one
  ) spending
  where b.workspace_id is not distinct from ${workspaceId}
    and (${sid} is null or b.sid = ${sid}) and b.id > ${sql.placeholder("after")}::bigint
  order by b.id limit ${sql.placeholder("limit")}`,
);

/** Lists the budgets of a workspace, with what is spent of them. */
export async function listBudgets(
  context: RequestContext,
  { wId, ...page }: ListBudgets,
): Promise<BudgetPage> {
  const { db } = context.database;
  const { id } = await administeredWorkspace(context, db, wId);
  return readPage(context, id, page);
}

/** Lists the budgets of the server, with what is spent of them. */
export async function listServerBudgets(
  context: RequestContext,
  page: ListServerBudgets,
): Promise<BudgetPage> {
  return readPage(context, null, page);
}

async function readPage(
  context: RequestContext,
  owner: number | null,
  { limit, lastValue = "0" }: ListServerBudgets,
): Promise<BudgetPage> {
  const rows = await listStatement.execute(context.database.db, {
    workspaceId: owner,
    sid: null,
    after: Number(lastValue),
    now: context.now(),
    limit: limit + 1,
  });
  const { page, end } = takePage(rows, { limit }, ({ id }) => id);
  return { budgets: page.map(renderBudget), ...end };
}

/** One budget, with what is spent of it. Throws `budget_not_found`. */
export async function readBudget(
  { now: time }: Pick<RequestContext, "now">,
  db: Queryable,
  of: { readonly workspaceId: number | null; readonly sid: string },
): Promise<Budget> {
  const [row] = await listStatement.execute(db, { ...of, after: 0, now: time(), limit: 1 });
  if (row === undefined) throw budgetNotFound(of);
  return renderBudget(row);
}

/** The error for a budget that the workspace, or the server, does not have. */
export function budgetNotFound(of: {
  readonly workspaceId: number | null;
  readonly sid: string;
}): ParleyError {
  const whose = of.workspaceId === null ? "server" : "workspace";
  return new ParleyError("budget_not_found", `The ${whose} has no budget ${of.sid}`);
}

const spendingStatement = statement<
  { workspaceId: number; sid: string; now: number; after: string; limit: number },
  SpentRow & Pick<BudgetRow, "limit" | "measure">
>(
  "list_budget_spending",
  sql`
  select one.subject, one.spent::text as spent, one.reserved::text as reserved, b."limit"::text as "limit", b.measure
  from budgets b, lateral (${spendingOf(budget, startOfPeriod(budget, now))}) one
  where b.workspace_id = ${workspaceId} and b.sid = ${sid}
    and one.subject > ${sql.placeholder("after")}::text
  order by one.subject limit ${sql.placeholder("limit")}`,
);

/** Lists who has spent how much of a budget, by id. Throws `budget_not_found`. */
export async function listBudgetSpending(
  context: RequestContext,
  { wId, budgetId, limit, lastValue }: ListBudgetSpending,
): Promise<BudgetSpendingPage> {
  const { db } = context.database;
  const { id } = await administeredWorkspace(context, db, wId);
  await readBudget(context, db, { workspaceId: id, sid: budgetId });
  const rows = await spendingStatement.execute(db, {
    workspaceId: id,
    sid: budgetId,
    now: context.now(),
    // The one subject of a workspace is empty, so it comes after nothing else.
    after: lastValue ?? "",
    limit: limit + 1,
  });
  const { page, end } = takePage(rows, { limit }, ({ subject }) => subject);
  return { spending: page.map((row) => renderSpending(row, row)), ...end };
}

function renderBudget(row: BudgetRow): Budget {
  const { sid: sId, name, scope, subject, measure, currency, period, timezone, most } = row;
  const { isHard, isOperators, subjects, endsAt, createdAt, updatedAt } = row;
  const isOfOne = subject !== null || scope === "server" || scope === "workspace";
  const nothing = { subject: subject ?? "", spent: "0", reserved: "0" };
  const found = most ?? (isOfOne ? nothing : null);
  const spending = found && renderSpending(found, row);
  return {
    sId,
    name,
    scope,
    subjectId: subject,
    measure,
    currency,
    limit: rulesOf(measure).toLimit(BigInt(row.limit)),
    period,
    timezone,
    isHard,
    isOperators,
    startsAt: period === "all" || period === "answer" ? createdAt : row.startsAt,
    endsAt,
    spending,
    subjects,
    // A limit of 0 is spent before anything is.
    usedUp: most === null && spending?.isUsedUp === true ? 1 : row.usedUp,
    createdAt,
    updatedAt,
  };
}

function renderSpending(
  row: SpentRow,
  { measure, limit: stored }: Pick<BudgetRow, "measure" | "limit">,
): BudgetSpending {
  const { toLimit, toSpent = toLimit, perUnit = 1n } = rulesOf(measure);
  const limit = BigInt(stored) * perUnit;
  const spent = BigInt(row.spent);
  const reserved = BigInt(row.reserved);
  const left = limit - spent - reserved;
  return {
    subjectId: row.subject === "" ? null : row.subject,
    spent: toSpent(spent),
    reserved: toSpent(reserved),
    left: toSpent(left > 0n ? left : 0n),
    isUsedUp: spent >= limit,
  };
}
