/**
 * Refuses what would start answers once a hard budget has no room for them, before anything is written. What is exact is the
 * reservation of each call; this only spares answers that would end at once.
 */
import { type Queryable, statement } from "@parley/db";
import { type BudgetScope, type ModelPair, ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { createBatcher } from "../data-access/batcher.ts";
import type { PriceServices } from "./price-lists.ts";
import { leastAmount } from "./prices.ts";
import { type Billing, billingOf } from "./turn-billing.ts";

/** Answers that are about to start, and who pays for them. */
interface Starting {
  readonly workspaceId: number;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly agents: readonly StartingAgent[];
  readonly conversationSid: string | undefined;
}

/** An agent that is to answer, and the model that it asks first. */
export interface StartingAgent extends ModelPair {
  readonly sid: string;
}

/** A hard budget that has no room for an answer. */
interface ExceededBudget {
  readonly scope: BudgetScope;
  /** Null if its period has no end. */
  readonly endsAt: number | null;
}

/** The hard budget of which an agent has the least left. */
interface TightestBudget extends ExceededBudget {
  /** Number of the agent in the request. */
  readonly n: number;
  /** In nano-units; calls in progress are not counted: they may cost less than they have reserved. */
  readonly left: string;
  readonly billing: Billing;
}

export interface BudgetServices {
  /** The hard budget that has no room for one of the answers; undefined without one. */
  readonly findExceededBudget: (starting: Starting) => Promise<ExceededBudget | undefined>;
}

const tightestStatement = statement<{ requests: string; now: number }, TightestBudget>(
  "find_tightest_budgets",
  sql`
  select distinct on (r.n) r.n, b.scope, b.ends_at::float8 as "endsAt", l."left"::text as "left",
    (${billingOf(sql`r.workspace_id`)}) as billing
  from (select '[]'::jsonb as tags) a, json_to_recordset(${sql.placeholder("requests")}::json) as r(
    n int, workspace_id bigint, api_key_id bigint, user_id bigint, agent_id text, conversation_sid text
  )
  cross join lateral budgets_of(r.workspace_id, r.api_key_id, r.user_id, r.agent_id, r.conversation_sid,
    ${sql.placeholder("now")}::bigint) b
  left join budget_spending s using (budget_id, subject, starts_at)
  cross join lateral (
    select b."limit" - coalesce(s.spent, 0) - coalesce(sum(h.settled), 0) as "left"
    from budget_holds h
    where h.budget_id = b.budget_id and h.subject = b.subject and h.starts_at = b.starts_at
      and h.settled is not null
  ) l
  where b.is_hard
  order by r.n, l."left", b.ends_at desc nulls first`,
);

const MAX_TOGETHER = 64;

/** Creates the reads of a process: requests that come during one share the next. */
export function createBudgetReader(
  db: Queryable,
  { now, priceListOf }: { readonly now: () => number } & PriceServices,
): BudgetServices["findExceededBudget"] {
  const read = createBatcher(async (starting: readonly Starting[]) => {
    const asked = starting.flatMap((one) => one.agents.map((agent) => ({ one, agent })));
    const requests = asked.map(({ one, agent }, n) => ({
      n,
      workspace_id: one.workspaceId,
      api_key_id: one.apiKeyId,
      user_id: one.userId,
      agent_id: agent.sid,
      conversation_sid: one.conversationSid,
    }));
    const values = { requests: JSON.stringify(requests), now: now() };
    const rows = await tightestStatement.execute(db, values);
    const found = rows.map((row) => ({ ...row, ...asked[row.n]! }));
    return (one) => found.filter((row) => row.one === one);
  }, MAX_TOGETHER);
  return async (starting) => {
    for (const { agent, left, billing, scope, endsAt } of await read(starting)) {
      // One after the other: they are mostly in memory.
      // oxlint-disable-next-line no-await-in-loop
      const price = (await priceListOf(starting.workspaceId, billing)).priceAt(agent, now());
      // A budget that is spent is used up for free models too.
      const isTooLittle = price !== undefined && BigInt(left) < leastAmount(price);
      if (BigInt(left) <= 0n || isTooLittle) return { scope, endsAt };
    }
    return undefined;
  };
}

/**
 * Throws `budget_exceeded` if answers of these agents could not begin, as a hard budget is spent. Reads nothing where
 * no budget applies, or no agent is to answer.
 */
export async function requireBudget(
  { caller, now, findExceededBudget }: Pick<Context, "caller" | "now"> & BudgetServices,
  answers: {
    readonly agents: readonly StartingAgent[];
    /** Left out for a new conversation. */
    readonly conversationSid?: string;
    readonly userId: number;
  },
): Promise<void> {
  if (!caller.isBudgeted || answers.agents.length === 0) return;
  const { agents, conversationSid, userId } = answers;
  const exceeded = await findExceededBudget({
    workspaceId: caller.workspace.id,
    apiKeyId: caller.apiKey.id,
    userId,
    agents,
    conversationSid,
  });
  if (exceeded === undefined) return;
  const { scope, endsAt } = exceeded;
  const details = endsAt === null ? {} : { retryAfterSeconds: secondsUntil(endsAt, now()) };
  throw new ParleyError("budget_exceeded", messageOf(scope, endsAt), details);
}

const secondsUntil = (time: number, now: number): number =>
  Math.max(1, Math.ceil((time - now) / 1000));

const names: Readonly<Record<BudgetScope, string>> = {
  server: "server",
  workspace: "workspace",
  api_key: "key",
  agent: "agent",
  user: "user",
  conversation: "conversation",
};

function messageOf(scope: BudgetScope, endsAt: number | null): string {
  const until = endsAt === null ? "" : ` until ${new Date(endsAt).toISOString()}`;
  const cure = endsAt === null ? "an admin" : "wait until then, or an admin";
  return `The budget of the ${names[scope]} is used up${until}: ${cure} can raise it`;
}
