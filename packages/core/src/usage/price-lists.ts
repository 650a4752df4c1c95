import { modelPrices, type Queryable } from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { and, asc, eq, isNull, or } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { modelKey } from "../workspaces/models.ts";
import { type Price, type PriceList, shippedPriceList } from "./prices.ts";
import type { Billing } from "./turn-billing.ts";

/** Rows of prices that a process caches, of all workspaces. */
const MAX_ROWS = 200_000;

export type PriceRow = typeof modelPrices.$inferSelect;

export interface PriceServices {
  /** The prices that count in a workspace; reads nothing if neither it nor an operator has set any. */
  readonly priceListOf: (workspaceId: number, billing: Billing) => Promise<PriceList>;
}

/**
 * Creates the price lists of a process. Prices are never changed, only followed by others, so a list is valid as
 * long as its version counts.
 */
export function createPriceLists(db: Queryable): PriceServices["priceListOf"] {
  const lists = new LRUCache<string, SetPrices, { workspaceId: number; currency: string }>({
    maxSize: MAX_ROWS,
    sizeCalculation: ({ rows }) => rows.length + 1,
    // An entry that is evicted before it is read is still returned.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context }) => readSetPrices(db, context),
  });
  return async (workspaceId, { currency, priceVersion }) => {
    if (priceVersion === 0) return shippedPriceList(currency);
    const key = `${workspaceId}/${currency}/${priceVersion}`;
    const set = await lists.forceFetch(key, { context: { workspaceId, currency } });
    return toPriceList(currency, set);
  };
}

/** The prices that were set, of one currency. */
export interface SetPrices {
  /** Each model's by time. */
  readonly rows: readonly PriceRow[];
  /** The row that counts for a model at a time: the workspace's own, or else the operators'. */
  rowAt(pair: ModelPair, time: number): PriceRow | undefined;
}

/** Reads the prices of a currency that a workspace and the operators have set. */
export async function readSetPrices(
  db: Queryable,
  { workspaceId, currency }: { readonly workspaceId: number; readonly currency: string },
): Promise<SetPrices> {
  const { workspaceId: of, currency: money, validFrom, id } = modelPrices;
  const rows = await db
    .select()
    .from(modelPrices)
    .where(and(or(eq(of, workspaceId), isNull(of)), eq(money, currency)))
    .orderBy(asc(validFrom), asc(id));
  const byOwner = [rows.filter((row) => row.workspaceId !== null), rows.filter(isOperators)];
  const byModel = byOwner.map((some) => Map.groupBy(some, modelKey));
  return {
    rows,
    rowAt: (pair, time) => {
      for (const found of byModel) {
        const row = found.get(modelKey(pair))?.findLast((one) => one.validFrom <= time);
        if (row !== undefined && isPrice(row)) return row;
      }
      return undefined;
    },
  };
}

const isOperators = (row: PriceRow): boolean => row.workspaceId === null;

/** Whether a row has a price; one without it ends the price before it. */
export const isPrice = (row: Pick<PriceRow, "input">): boolean => row.input !== null;

/** The prices that count: those that were set before those that are shipped. */
export function toPriceList(currency: string, set: SetPrices): PriceList {
  const shipped = shippedPriceList(currency);
  return {
    currency,
    priceAt: (pair, time) => {
      const row = set.rowAt(pair, time);
      return row === undefined ? shipped.priceAt(pair, time) : priceOf(row);
    },
  };
}

/** The price of a row that has one. */
export function priceOf({ input, output, ...row }: PriceRow): Price {
  if (input === null || output === null) throw new Error("The row has no price");
  const { cachedInput, cacheWrite, reasoning, image } = row;
  return {
    input,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    output,
    reasoning: reasoning ?? undefined,
    image: image ?? undefined,
  };
}
