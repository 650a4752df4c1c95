import { modelPrices } from "@parley/db";
import type { ModelPair, ModelPrice, PriceList, ServerPriceList } from "@parley/schema";
import { asc, isNull } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { findEnabledModels, modelKey } from "../workspaces/models.ts";
import { currentPrices } from "./model-prices.ts";
import { type PriceRow, priceOf, readSetPrices } from "./price-lists.ts";
import { isFree, shippedPriceAt, shippedPriceList, startOf } from "./prices.ts";
import { renderPrice, renderSetPrice } from "./render-prices.ts";

/** Lists the enabled models, and the one that makes vectors, with what each costs now, and the prices that will count later. */
export async function listPrices(
  context: RequestContext,
  { wId }: { wId: string },
): Promise<PriceList> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const { id: workspaceId, currency } = workspace;
  const now = context.now();
  const set = await readSetPrices(db, { workspaceId, currency });
  const upcoming = currentPrices(set.rows, now)
    .filter(({ validFrom }) => validFrom > now)
    .toSorted((a, b) => a.validFrom - b.validFrom);
  const enabled = findEnabledModels(workspace);
  const { embedding } = workspace;
  const isListed = enabled.some(
    (one) => embedding !== null && modelKey(one) === modelKey(embedding),
  );
  const pricedModels = embedding === null || isListed ? enabled : [...enabled, embedding];
  return {
    currency,
    prices: pricedModels.map((pair) => {
      const row = set.rowAt(pair, now);
      return row === undefined ? shippedPrice(pair, currency, now) : priceOfRow(row);
    }),
    upcoming: upcoming.map((row) => ({ ...renderSetPrice(row), origin: originOf(row) })),
  };
}

/** Lists the prices of the operators that count now or later. */
export async function listServerPrices({
  database,
  now,
}: RequestContext): Promise<ServerPriceList> {
  const { workspaceId, providerId, modelId, currency, validFrom, id } = modelPrices;
  const rows = await database.db
    .select()
    .from(modelPrices)
    .where(isNull(workspaceId))
    .orderBy(asc(providerId), asc(modelId), asc(currency), asc(validFrom), asc(id));
  const current = currentPrices(rows, now());
  return { prices: current.map(renderSetPrice).filter(isShown(now())) };
}

/** A removal that counts already says nothing. */
const isShown =
  (now: number) =>
  ({ price, validFrom }: { readonly price: unknown; readonly validFrom: number }): boolean =>
    price !== null || validFrom > now;

const originOf = ({ workspaceId }: PriceRow) => (workspaceId === null ? "operator" : "workspace");

function priceOfRow(row: PriceRow): ModelPrice {
  const { providerId, modelId, currency, note, validFrom } = row;
  const price = renderPrice(priceOf(row));
  const ofShipped = { source: null, checkedOn: null };
  return {
    providerId,
    modelId,
    currency,
    price,
    origin: originOf(row),
    ...ofShipped,
    note,
    validFrom,
  };
}

function shippedPrice(
  { providerId, modelId }: ModelPair,
  currency: string,
  time: number,
): ModelPrice {
  const pair = { providerId, modelId };
  const price = shippedPriceList(currency).priceAt(pair, time);
  const listed = isFree(pair) ? undefined : shippedPriceAt(pair, { currency, time });
  return {
    ...pair,
    currency,
    price: price === undefined ? null : renderPrice(price),
    origin: price === undefined ? null : "shipped",
    source: listed?.source ?? null,
    checkedOn: listed?.checkedOn ?? null,
    note: null,
    validFrom: listed === undefined ? null : startOf(listed.from),
  };
}
