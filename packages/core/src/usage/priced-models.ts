import { type Queryable, statement } from "@parley/db";
import { invalidRequest, type ModelPair } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { modelKey } from "../workspaces/models.ts";
import { readSetPrices, toPriceList } from "./price-lists.ts";

/** Models that an error names at most. */
const MAX_NAMED = 10;

interface UsedModel extends ModelPair {
  readonly workspaceId: number;
  readonly currency: string;
}

const usedModelsStatement = statement<
  { workspaceId: number | null; agentId: string | null },
  UsedModel
>(
  "find_used_models",
  sql`
  select distinct w.id::float8 as "workspaceId", w.currency, m.provider_id as "providerId", m.model_id as "modelId"
  from agents a join workspaces w on w.id = a.workspace_id
  cross join lateral (
    select a.provider_id, a.model_id
    union all
    select f ->> 'providerId', f ->> 'modelId' from jsonb_array_elements(a.fallback_models) f
  ) m
  where a.is_current and a.status = 'active' and w.deleted_at is null
    and w.models ? (m.provider_id || '/' || m.model_id)
    and (${sql.placeholder("workspaceId")}::bigint is null or w.id = ${sql.placeholder("workspaceId")}::bigint)
    and (${sql.placeholder("agentId")}::text is null or a.sid = ${sql.placeholder("agentId")}::text)
  order by 1, 3, 4`,
);

/**
 * Throws `invalid_request_error` if active agents use an enabled model without a price: its calls could not be held
 * to a hard budget. Looks at one agent, at those of a workspace, or at all of the server.
 */
export async function requirePricedModels(
  { now }: Pick<RequestContext, "now">,
  db: Queryable,
  of: { readonly workspaceId: number | null; readonly agentId: string | null },
): Promise<void> {
  const used = await usedModelsStatement.execute(db, of);
  const unpriced = new Set<string>();
  for (const [workspaceId, pairs] of Map.groupBy(used, (one) => one.workspaceId)) {
    const { currency } = pairs[0]!;
    const set = await readSetPrices(db, { workspaceId, currency });
    const { priceAt } = toPriceList(currency, set);
    const missing = pairs.filter((pair) => priceAt(pair, now()) === undefined);
    for (const pair of missing) unpriced.add(modelKey(pair));
    if (unpriced.size > MAX_NAMED) break;
  }
  if (unpriced.size === 0) return;
  const named = [...unpriced].slice(0, MAX_NAMED).join(", ");
  const more = unpriced.size > MAX_NAMED ? " and others" : "";
  const message = `agents use models without a price, which no hard budget could hold: ${named}${more}; set their prices, let the agents use others, or make the budget a soft one`;
  throw invalidRequest("body", [{ path: "isHard", message }]);
}
