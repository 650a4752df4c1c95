/**
 * Limits of tool calls, in one answer and in a time. A step's calls are counted in the transaction that writes them,
 * so that all of them are within each limit, or none is made.
 */
import { type Queryable, statement } from "@parley/db";
import type { AgentError } from "@parley/schema";
import { sql } from "drizzle-orm";
import { describeSpent, type SpentLimit } from "./spent-limits.ts";
import type { Billing, Payer } from "./turn-billing.ts";

/** A step has more tool calls than a limit leaves: it ends the answer. */
export class CallLimitReached extends Error {
  override readonly name = "CallLimitReached";
  readonly error: AgentError;

  constructor(message: string) {
    super(message);
    this.error = { code: "budget_exceeded", message, metadata: null };
  }
}

interface CallsOfStep {
  readonly run: Payer & { readonly workspaceId: number };
  readonly turn: {
    readonly billing: Billing;
    readonly agent: { readonly sid: string };
    readonly rootSid: string;
    readonly message: { readonly id: number };
  };
  readonly calls: readonly unknown[];
  readonly now: number;
}

interface ReachedLimit extends SpentLimit {
  readonly period: string;
  readonly limit: string;
}

interface CallValues extends Record<string, unknown> {
  readonly workspaceId: number;
  readonly apiKeyId: number | null;
  readonly userId: number | null;
  readonly agentSid: string;
  readonly conversationSid: string;
  readonly messageId: number;
  readonly calls: number;
  readonly now: number;
}

// The rows of limits are locked in the order of their numbers. The calls of the answer have the step's.
const takeStatement = statement<CallValues, ReachedLimit>(
  "take_calls",
  sql`
  with applied as materialized (
    select l.* from limits_of(
      'tool_calls', ${sql.placeholder("workspaceId")}::bigint, ${sql.placeholder("apiKeyId")}::bigint,
      ${sql.placeholder("userId")}::bigint, ${sql.placeholder("agentSid")}::text,
      ${sql.placeholder("conversationSid")}::text, ${sql.placeholder("now")}::bigint
    ) l where l.is_hard
  ),
  taken as (
    insert into budget_spending as s (budget_id, subject, starts_at, ends_at, spent, reserved)
    select a.budget_id, a.subject, a.starts_at, a.ends_at, ${sql.placeholder("calls")}::bigint, 0
    from applied a where a.period <> 'answer'
    order by a.budget_id, a.subject, a.starts_at
    on conflict (budget_id, subject, starts_at) do update set spent = s.spent + excluded.spent
    returning s.budget_id, s.subject, s.starts_at, s.spent
  ),
  answer as (
    select count(*) as calls from actions where message_id = ${sql.placeholder("messageId")}::bigint
  )
  select a.scope, a.period, a."limit"::text, a.ends_at::float8 as "endsAt"
  from applied a left join taken t using (budget_id, subject, starts_at) cross join answer
  where coalesce(t.spent, answer.calls) > a."limit"
  order by a.period, a."limit"
  limit 1`,
);

/**
 * Counts the calls of a step, whose rows are written, in the limits that apply. Throws `CallLimitReached` if one
 * leaves fewer: the transaction must then be rolled back. Without a limit in the workspace it does nothing.
 */
export async function takeCalls(
  db: Queryable,
  { run, turn, calls, now }: CallsOfStep,
): Promise<void> {
  if (!turn.billing.limitsCalls || calls.length === 0) return;
  const [reached] = await takeStatement.execute(db, {
    workspaceId: run.workspaceId,
    apiKeyId: run.apiKeyId,
    userId: run.userId,
    agentSid: turn.agent.sid,
    conversationSid: turn.rootSid,
    messageId: turn.message.id,
    calls: calls.length,
    now,
  });
  if (reached === undefined) return;
  throw new CallLimitReached(
    reached.period === "answer"
      ? `The answer may call tools at most ${reached.limit} times`
      : describeSpent("tool calls", reached),
  );
}
