/** What tokens cost: amounts are integers of nano-units, a thousand-millionth of a dollar. */
import type { StoredStep } from "@parley/db";
import type { ModelPair } from "@parley/schema";
import { modelKey } from "./models.ts";
import { type ShippedPrice, shippedPrices } from "./shipped-prices.ts";

const NANO_DIGITS = 9;
/** Prices are for a million tokens. */
const PER_TOKENS = 1_000_000n;

const byModel = Map.groupBy(shippedPrices, modelKey);
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** What a model costs at a time in milliseconds; undefined if that is not known. */
export function priceAt(pair: ModelPair, time: number): ShippedPrice | undefined {
  const price = byModel.get(modelKey(pair))?.findLast(({ from }) => startOf(from) <= time);
  return price?.until !== undefined && startOf(price.until) <= time ? undefined : price;
}

type Tokens = Pick<
  StoredStep,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens"
>;

/** The amount of one call, in nano-dollars, rounded up; undefined if its tokens were not counted. */
export function amountOf(tokens: Tokens, price: ShippedPrice): bigint | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = tokens;
  if (inputTokens === null || outputTokens === null) return undefined;
  const { longPrompts } = price;
  const listed = longPrompts && inputTokens > longPrompts.above ? longPrompts : price;
  const { input, cachedInput = input, cacheWrite = input, output } = listed;
  const parts: [number, string][] = [
    [inputTokens - cachedInputTokens - cacheWriteTokens, input],
    [cachedInputTokens, cachedInput],
    [cacheWriteTokens, cacheWrite],
    [outputTokens, output],
  ];
  const total = parts.reduce((sum, [count, text]) => sum + BigInt(count) * toNano(text), 0n);
  return (total + PER_TOKENS - 1n) / PER_TOKENS;
}

/** A call of a step, with the model if it is not the one that the step was asked of. */
interface CountedCall extends Partial<Tokens> {
  readonly model?: ModelPair | undefined;
}

/** A step with the amounts of its calls, by the prices of this time. */
export function withAmounts<
  Step extends CountedCall & { readonly passedOver?: readonly CountedCall[] | undefined },
>(step: Step, asked: ModelPair, now: number): Step {
  const priced = <Call extends CountedCall>(call: Call): Call => {
    const { inputTokens = null, outputTokens = null, model = asked } = call;
    const price = priceAt(model, now);
    const amount = price && amountOf({ ...call, inputTokens, outputTokens }, price);
    return amount === undefined ? call : { ...call, amount: toDecimal(amount) };
  };
  const { passedOver } = step;
  return { ...priced(step), ...(passedOver && { passedOver: passedOver.map(priced) }) };
}

/** A decimal number of dollars as nano-dollars. */
function toNano(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(NANO_DIGITS, "0"));
}

/** Nano-dollars as a decimal number of dollars, without zeros at its end. */
export function toDecimal(nano: bigint): string {
  const digits = String(nano).padStart(NANO_DIGITS + 1, "0");
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, "");
  const whole = digits.slice(0, -NANO_DIGITS);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
