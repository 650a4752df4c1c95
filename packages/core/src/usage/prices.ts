/** What tokens cost: amounts are integers of nano-units, a thousand-millionth of a unit of their currency. */
import type { StoredStep } from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { modelKey } from "../workspaces/models.ts";
import { type Listed, type ShippedPrice, shippedPrices } from "./shipped-prices.ts";

const NANO_DIGITS = 9;
/** Prices are for a million tokens. */
const PER_TOKENS = 1_000_000n;

/** Nano-units for a million tokens of each kind. */
export interface Rates {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly output: bigint;
  /** Of the output's tokens, those of reasoning; the price of `output` without it. */
  readonly reasoning?: bigint | undefined;
  /** Of the input's tokens, those of images; the price of `input` without it. */
  readonly image?: bigint | undefined;
}

/** What a model costs at a time. */
export interface Price extends Rates {
  /** What all tokens of a call with a longer prompt cost. */
  readonly longPrompts?: (Rates & { readonly above: number }) | undefined;
}

/** The prices that count in a workspace. */
export interface PriceList {
  /** ISO 4217 code of its amounts. */
  readonly currency: string;
  /** What a model costs at a time in milliseconds; undefined if that is not known. */
  priceAt(pair: ModelPair, time: number): Price | undefined;
}

const SHIPPED_CURRENCY = "USD";
const byModel = Map.groupBy(shippedPrices, modelKey);
/** The beginning of a day in UTC, in milliseconds. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Models that nobody asks money for. */
const FREE_PROVIDERS = ["simulated", "noop"];
const free: Price = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n };

/** The prices that Parley ships, in US dollars; in another currency, only what is free has one. */
export function shippedPriceList(currency: string): PriceList {
  return {
    currency,
    priceAt: (pair, time) => {
      if (isFree(pair)) return free;
      const price = shippedPriceAt(pair, { currency, time });
      return price && toPrice(price);
    },
  };
}

/** Whether nobody asks money for a model. */
export const isFree = ({ providerId }: ModelPair): boolean => FREE_PROVIDERS.includes(providerId);

/** The shipped price of a model at a time, with its source; undefined if there is none in the currency. */
export function shippedPriceAt(
  pair: ModelPair,
  { currency, time }: { readonly currency: string; readonly time: number },
): ShippedPrice | undefined {
  if (currency !== SHIPPED_CURRENCY) return undefined;
  const price = byModel.get(modelKey(pair))?.findLast(({ from }) => startOf(from) <= time);
  return price?.until !== undefined && startOf(price.until) <= time ? undefined : price;
}

/** A shipped price in nano-units. */
export function toPrice({
  longPrompts,
  ...listed
}: Listed & { longPrompts?: Listed & { above: number } }): Price {
  return {
    ...toRates(listed),
    ...(longPrompts && { longPrompts: { ...toRates(longPrompts), above: longPrompts.above } }),
  };
}

function toRates({ input, cachedInput = input, cacheWrite = input, output }: Listed): Rates {
  return {
    input: toNano(input),
    cachedInput: toNano(cachedInput),
    cacheWrite: toNano(cacheWrite),
    output: toNano(output),
  };
}

type Tokens = Pick<
  StoredStep,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens"
> & {
  /** Of the input's tokens that are not of a cache, those of images. */
  readonly imageTokens?: number | undefined;
};

/** The amount of one call, rounded up; undefined if its tokens were not counted. */
export function amountOf(tokens: Tokens, price: Price): bigint | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = tokens;
  if (inputTokens === null || outputTokens === null) return undefined;
  const { longPrompts } = price;
  const rates = longPrompts && inputTokens > longPrompts.above ? longPrompts : price;
  const fresh = inputTokens - cachedInputTokens - cacheWriteTokens;
  const ofImages = Math.min(tokens.imageTokens ?? 0, fresh);
  const reasoned = Math.min(tokens.reasoningTokens ?? 0, outputTokens);
  return roundUp(
    BigInt(fresh - ofImages) * rates.input +
      BigInt(ofImages) * (rates.image ?? rates.input) +
      BigInt(cachedInputTokens) * rates.cachedInput +
      BigInt(cacheWriteTokens) * rates.cacheWrite +
      BigInt(outputTokens - reasoned) * rates.output +
      BigInt(reasoned) * (rates.reasoning ?? rates.output),
  );
}

/** The most that a call with so many tokens can cost, whatever of its prompt comes from a cache. */
export function greatestAmount(
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
  price: Price,
): bigint {
  const { input, output } = dearestRates(inputTokens, price);
  return roundUp(BigInt(inputTokens) * input + BigInt(outputTokens) * output);
}

/** Tokens that a call is given to write at least. */
export const MIN_OUTPUT_TOKENS = 256;

/** Less than any call costs: that of a prompt of nothing. */
export const leastAmount = (price: Price): bigint =>
  greatestAmount({ inputTokens: 0, outputTokens: MIN_OUTPUT_TOKENS }, price);

/** How many tokens a call can write for an amount, after a prompt of so many; less than 0 if not even that fits. */
export function outputTokensFor(amount: bigint, inputTokens: number, price: Price): number {
  const { input, output } = dearestRates(inputTokens, price);
  const left = amount * PER_TOKENS - BigInt(inputTokens) * input;
  if (output === 0n) return left < 0n ? -1 : Number.MAX_SAFE_INTEGER;
  // Rounded down, towards fewer tokens.
  return left < 0n ? -1 : Number(left / output);
}

function dearestRates(inputTokens: number, price: Price): { input: bigint; output: bigint } {
  const { longPrompts } = price;
  const rates = [price, ...(longPrompts && inputTokens > longPrompts.above ? [longPrompts] : [])];
  const most = (values: readonly bigint[]) => values.reduce((a, b) => (a > b ? a : b));
  return {
    input: most(
      rates.flatMap(({ input, cachedInput, cacheWrite, image = input }) => {
        return [input, cachedInput, cacheWrite, image];
      }),
    ),
    output: most(rates.flatMap(({ output, reasoning = output }) => [output, reasoning])),
  };
}

const roundUp = (total: bigint): bigint => (total + PER_TOKENS - 1n) / PER_TOKENS;

/** A decimal number of units as nano-units. */
export function toNano(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(NANO_DIGITS, "0"));
}

/** Nano-units as a decimal number of units, without zeros at its end. */
export function toDecimal(nano: bigint): string {
  const digits = String(nano).padStart(NANO_DIGITS + 1, "0");
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  const whole = digits.slice(0, -NANO_DIGITS);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
