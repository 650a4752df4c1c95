/**
 * Limits of the processor time of code. What an invocation has used is known at its end, where it is added up: none
 * begins once a limit is reached, and those that run by then may exceed it.
 */
import { type Queryable, statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { WorkspaceCaller } from "../context.ts";
import { hasBudget } from "../data-access/has-budget.ts";
import { describeSpent, type SpentLimit } from "./spent-limits.ts";

const MEASURE = "processor_seconds";
/** What is spent is counted in milliseconds. */
const MS = sql.raw("1000");

/** Whether a limit applies in the workspace of this number. */
export const limitsProcessor = (workspaceId: SQL): SQL<boolean> => hasBudget(workspaceId, MEASURE);

// A call of an agent is billed as the answer that makes it.
const limitsOf = (invocation: SQL, now: SQL): SQL => sql`(
  select l.*
  from (select ${invocation}.workspace_id, ${invocation}.action_id, ${invocation}.api_key_id,
    ${invocation}.owner_id) asked
  left join api_keys k on k.id = asked.api_key_id
  left join actions a on a.id = asked.action_id
  left join messages m on m.id = a.message_id
  left join runs r on r.log_id = m.sid
  left join agents g on g.id = m.agent_id
  left join conversations c on c.id = m.conversation_id
  left join conversations root on root.id = c.root_id
  cross join lateral limits_of(
    ${sql.raw(`'${MEASURE}'`)}, asked.workspace_id, coalesce(asked.api_key_id, r.api_key_id),
    coalesce(r.user_id, asked.owner_id, k.user_id), g.sid, coalesce(root.sid, c.sid), ${now}
  ) l
)`;

const spentOf = (limits: SQL): SQL => sql`
  select json_build_object('scope', l.scope, 'endsAt', l.ends_at)
  from ${limits} l left join budget_spending s using (budget_id, subject, starts_at)
  where l.is_hard and coalesce(s.spent, 0) >= l."limit" * ${MS}
  order by l.ends_at desc nulls first limit 1`;

/** The `SpentLimit` of the row of an invocation; null if it may run. */
export const spentProcessorLimit = (invocation: SQL, now: SQL): SQL<SpentLimit | null> => sql`
  case when ${limitsProcessor(sql`${invocation}.workspace_id`)}
    then (${spentOf(limitsOf(invocation, now))}) end`;

/**
 * Parts of a statement that add up what the invocations of the parameter `used` have used, of those that are in
 * `finished`.
 */
export const processorParts = sql`
  used as (
    select u.cpu_ms, f.finished_at, i.id, i.workspace_id, i.action_id, i.api_key_id, i.owner_id
    from json_to_recordset(${sql.placeholder("used")}::json) as u(sid text, cpu_ms bigint)
    join finished f on f.sid = u.sid join invocations i on i.id = f.id
  ),
  spent as (
    insert into budget_spending as s (budget_id, subject, starts_at, ends_at, spent, reserved)
    select l.budget_id, l.subject, l.starts_at, l.ends_at, sum(used.cpu_ms), 0
    from used cross join lateral ${limitsOf(sql`used`, sql`used.finished_at`)} l
    group by l.budget_id, l.subject, l.starts_at, l.ends_at
    order by l.budget_id, l.subject, l.starts_at
    on conflict (budget_id, subject, starts_at) do update set spent = s.spent + excluded.spent
  )`;

/** Why an invocation does not run. */
export const describeSpentProcessor = (limit: SpentLimit): string =>
  describeSpent("processor time", limit);

const checkStatement = statement<
  {
    workspaceId: number;
    apiKeyId: number;
    userId: number;
    functionId: number;
    version: number;
    now: number;
  },
  { limit: SpentLimit | null }
>(
  "check_processor_limits",
  sql`select (${spentOf(sql`limits_of(
    ${sql.raw(`'${MEASURE}'`)}, ${sql.placeholder("workspaceId")}::bigint, ${sql.placeholder("apiKeyId")}::bigint,
    ${sql.placeholder("userId")}::bigint, null, null, ${sql.placeholder("now")}::bigint
  )`)}) as limit
  from sandbox_function_versions v
  where v.function_id = ${sql.placeholder("functionId")}::bigint
    and v.version = ${sql.placeholder("version")}::int and v.program ->> 'type' = 'javascript'`,
);

/**
 * Throws `budget_exceeded` if a function is code and a limit of its caller is used up: of the caller's own, or of one
 * that others share.
 */
export async function requireProcessorTime(
  db: Queryable,
  {
    caller,
    called,
    now,
  }: {
    readonly caller: WorkspaceCaller;
    readonly called: { readonly functionId: number; readonly functionVersion: number };
    readonly now: number;
  },
): Promise<void> {
  const { workspace, apiKey, user } = caller;
  const { functionId, functionVersion: version } = called;
  const payer = { workspaceId: workspace.id, apiKeyId: apiKey.id, userId: user.id };
  const [row] = await checkStatement.execute(db, { ...payer, functionId, version, now });
  if (!row?.limit) return;
  const { endsAt } = row.limit;
  const wait = endsAt === null ? {} : { retryAfterSeconds: Math.ceil((endsAt - now) / 1000) };
  throw new ParleyError("budget_exceeded", describeSpentProcessor(row.limit), wait);
}
