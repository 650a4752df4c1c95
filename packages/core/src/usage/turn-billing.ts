import { type SQL, sql } from "drizzle-orm";
import { hasBudget } from "../data-access/has-budget.ts";
import { isBudgeted } from "../money/is-budgeted.ts";

/** Who pays for a run: the key that asked for it, and the user it asked for. */
export interface Payer {
  /** Null of a run from before keys were recorded. */
  readonly apiKeyId: number | null;
  readonly userId: number | null;
}

/** What a run's calls of models are billed by, as it stood when the run was claimed. */
export interface Billing {
  /** ISO 4217 code of the workspace's money. */
  readonly currency: string;
  /** Changes with the prices that the workspace or an operator has set; 0 if neither has set any. */
  readonly priceVersion: number;
  /** Whether the workspace or the server has a budget of money. */
  readonly isBudgeted: boolean;
  /** Names of the agent's tags; null without any. */
  readonly tags: string[] | null;
  /** Whether either has a limit of tool calls. */
  readonly limitsCalls: boolean;
}

const tagsOfAgent = sql`(select json_agg(tag ->> 'name') from jsonb_array_elements(a.tags) tag)`;

/** The subquery that gives the `Billing` in the workspace of this number, by default of the agent `a`. */
export const billingOf = (workspaceId: SQL, tags: SQL = tagsOfAgent): SQL => sql`
  select json_build_object(
    'currency', payer.currency,
    'priceVersion', greatest(
      (select max(p.id) from model_prices p where p.workspace_id = payer.id),
      (select max(p.id) from model_prices p where p.workspace_id is null),
      0
    ),
    'isBudgeted', ${isBudgeted(sql`payer.id`)},
    'tags', ${tags},
    'limitsCalls', ${hasBudget(sql`payer.id`, "tool_calls")}
  )
  from workspaces payer where payer.id = ${workspaceId}`;
