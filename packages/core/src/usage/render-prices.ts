import type { SetModelPrice, TokenPrice } from "@parley/schema";
import { isPrice, type PriceRow, priceOf } from "./price-lists.ts";
import { type Price, type Rates, toDecimal } from "./prices.ts";

/** A price with all its kinds of tokens, whether or not they cost something else than others. */
export function renderPrice({ longPrompts, ...rates }: Price): TokenPrice {
  return {
    ...renderRates(rates),
    longPrompts: longPrompts
      ? { aboveTokens: longPrompts.above, ...renderRates(longPrompts) }
      : null,
  };
}

function renderRates(rates: Rates): Omit<TokenPrice, "longPrompts"> {
  const { input, cachedInput, cacheWrite, output, reasoning = output, image = input } = rates;
  return {
    input: toDecimal(input),
    cachedInput: toDecimal(cachedInput),
    cacheWrite: toDecimal(cacheWrite),
    output: toDecimal(output),
    reasoning: toDecimal(reasoning),
    image: toDecimal(image),
  };
}

/** A row as it was set. */
export function renderSetPrice(row: PriceRow): SetModelPrice {
  const { providerId, modelId, currency, note, validFrom } = row;
  const price = isPrice(row) ? renderPrice(priceOf(row)) : null;
  return { providerId, modelId, currency, price, note, validFrom };
}
