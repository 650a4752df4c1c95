/**
 * Refuses what would start answers once a hard budget is spent, before anything is written. What is exact is the
 * reservation of each call; this only spares answers that would end at once.
 */
import { type Queryable, statement } from "@parley/db";
import { type BudgetScope, ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { createBatcher } from "../data-access/batcher.ts";

/** Answers that are about to start, and who pays for them. */
interface Starting {
  readonly workspaceId: number;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly agents: readonly string[];
  readonly conversationSid: string | undefined;
}

/** A hard budget whose limit is spent. */
interface ExceededBudget {
  readonly scope: BudgetScope;
  /** Null if its period has no end. */
  readonly endsAt: number | null;
}

export interface BudgetServices {
  /** The spent hard budget whose period ends last, of those that apply; undefined without one. */
  readonly findExceededBudget: (starting: Starting) => Promise<ExceededBudget | undefined>;
}

const exceededStatement = statement<
  { requests: string; now: number },
  ExceededBudget & { readonly n: number }
>(
  "find_exceeded_budgets",
  sql`
  select distinct on (r.n) r.n, b.scope, b.ends_at::float8 as "endsAt"
  from json_to_recordset(${sql.placeholder("requests")}::json) as r(
    n int, workspace_id bigint, api_key_id bigint, user_id bigint, agent_id text, conversation_sid text
  )
  cross join lateral budgets_of(r.workspace_id, r.api_key_id, r.user_id, r.agent_id, r.conversation_sid,
    ${sql.placeholder("now")}::bigint) b
  left join budget_spending s using (budget_id, subject, starts_at)
  where b.is_hard and b."limit" <= coalesce(s.spent, 0) + coalesce((
    select sum(h.settled) from budget_holds h
    where h.budget_id = b.budget_id and h.subject = b.subject and h.starts_at = b.starts_at
      and h.settled is not null
  ), 0)
  order by r.n, b.ends_at desc nulls first`,
);

const MAX_TOGETHER = 64;

/** Creates the reads of a process: requests that come during one share the next. */
export function createBudgetReader(
  db: Queryable,
  now: () => number,
): BudgetServices["findExceededBudget"] {
  return createBatcher(async (starting: readonly Starting[]) => {
    const requests = starting.flatMap((one, n) =>
      one.agents.map((agentId) => ({
        n,
        workspace_id: one.workspaceId,
        api_key_id: one.apiKeyId,
        user_id: one.userId,
        agent_id: agentId,
        conversation_sid: one.conversationSid,
      })),
    );
    const values = { requests: JSON.stringify(requests), now: now() };
    const rows = await exceededStatement.execute(db, values);
    const found = new Map(rows.map((row) => [starting[row.n], row]));
    return (one) => found.get(one);
  }, MAX_TOGETHER);
}

/**
 * Throws `budget_exceeded` if answers of these agents could not begin, as a hard budget is spent. Reads nothing where
 * no budget applies, or no agent is to answer.
 */
export async function requireBudget(
  { caller, now, findExceededBudget }: Pick<Context, "caller" | "now"> & BudgetServices,
  answers: {
    readonly agents: readonly string[];
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
