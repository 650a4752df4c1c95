import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { models, modelKey } from "../workspaces/models.ts";
import {
  amountOf,
  greatestAmount,
  outputTokensFor,
  type Price,
  shippedPriceList,
  toDecimal,
  toNano,
} from "./prices.ts";
import { shippedPrices } from "./shipped-prices.ts";

const { priceAt } = shippedPriceList("USD");
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const openai = (modelId: string) => ({ providerId: "openai", modelId });
const tokens = (inputTokens: number, outputTokens: number, cached = 0, written = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: cached,
  cacheWriteTokens: written,
});

describe("the price of a model", () => {
  it.each([
    { modelId: "claude-sonnet-5-5", day: "2026-10-06", cachedInput: "0.2" },
    { modelId: "claude-sonnet-5-5", day: "2026-10-07", cachedInput: "0.1" },
  ])("is that of the day ($modelId, $day)", ({ modelId, day, cachedInput }) => {
    expect(priceAt({ providerId: "anthropic", modelId }, at(day))).toMatchObject({
      cachedInput: toNano(cachedInput),
    });
  });

  it.each([
    ["before its first day", "gemini-4-argon", "2026-10-12"],
    ["after the last day that the service names", "gemini-3.8-flash", "2027-01-01"],
    ["of a model without one", "gemini-2.5-flash", "2026-11-27"],
  ])("is not known %s", (_when, modelId, day) => {
    expect(priceAt({ providerId: "google_ai_studio", modelId }, at(day))).toBeUndefined();
  });

  it("has a source and a day on which it was read, and stands in the catalogue or makes vectors, the days in order", () => {
    const vectors = ["openai/text-embedding-3-small", "openai/text-embedding-3-large"];
    const known = new Set([...models.map(modelKey), ...vectors]);
    const days = new Map<string, string>();
    for (const price of shippedPrices) {
      expect(known).toContain(modelKey(price));
      expect(price.source).toMatch(/^https:/);
      expect(price.checkedOn).toMatch(/^2\d{3}-\d\d-\d\d$/);
      expect(price.from > (days.get(modelKey(price)) ?? "")).toBe(true);
      days.set(modelKey(price), price.from);
    }
  });
});

describe("the amount of a call", () => {
  // By hand, from the printed prices.
  it.each([
    // 1,000,000 × 1.25 + 200,000 × 10
    { model: openai("gpt-5"), given: tokens(1_000_000, 200_000), amount: "3.25" },
    // 300 × 1.25 + 1,700 × 0.125 + 50 × 10, each for a million
    { model: openai("gpt-5"), given: tokens(2000, 50, 1700), amount: "0.0010875" },
    // 100 × 4 + 1,500 × 0.2 + 400 × 5 + 120 × 20
    {
      model: { providerId: "anthropic", modelId: "claude-opus-5-5" },
      given: tokens(2000, 120, 1500, 400),
      amount: "0.0051",
    },
    // 5,000 × 0.02 / 1,000,000, and 5,000 × 0.13 / 1,000,000
    { model: openai("text-embedding-3-small"), given: tokens(5000, 0), amount: "0.0001" },
    { model: openai("text-embedding-3-large"), given: tokens(5000, 0), amount: "0.00065" },
    // The first token above the limit makes all of them dearer.
    { model: openai("gpt-6-luna"), given: tokens(272_000, 0), amount: "0.0272" },
    { model: openai("gpt-6-luna"), given: tokens(272_001, 0), amount: "0.0544002" },
    // 1 × 0.1 / 1,000,000 = 0.0000001
    { model: openai("gpt-6-luna"), given: tokens(1, 0), amount: "0.0000001" },
    // 1 × 0.01 / 1,000,000 is ten nano-dollars.
    { model: openai("gpt-6-luna"), given: tokens(1, 0, 1), amount: "0.00000001" },
  ])("of $given is $amount", ({ model, given, amount }) => {
    expect(toDecimal(amountOf(given, priceAt(model, at("2026-11-27"))!)!)).toBe(amount);
  });

  it("is unknown if tokens were not counted", () => {
    const price = priceAt(openai("gpt-5"), at("2026-11-27"))!;
    expect(amountOf({ inputTokens: null, outputTokens: 1 }, price)).toBeUndefined();
  });

  it("is never less than what was billed, and less than a nano-dollar more", () => {
    const count = fc.nat(1_000_000_000);
    fc.assert(
      fc.property(fc.constantFrom(...shippedPrices), count, count, count, (price, ...counts) => {
        const [fresh, cached, output] = counts;
        const given = tokens(fresh + cached, output, cached);
        const amount = amountOf(given, priceAt(price, at(price.from))!)!;
        const { longPrompts } = price;
        const listed = longPrompts && fresh + cached > longPrompts.above ? longPrompts : price;
        const nano = (text = "0") => BigInt(Math.round(Number(text) * 1e9));
        const exact =
          BigInt(fresh) * nano(listed.input) +
          BigInt(cached) * nano(listed.cachedInput ?? listed.input) +
          BigInt(output) * nano(listed.output);
        expect(amount * 1_000_000n >= exact && (amount - 1n) * 1_000_000n < exact).toBe(true);
      }),
    );
  });
});

describe("the greatest amount of a call", () => {
  const rate = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const rates = {
    input: rate,
    cachedInput: rate,
    cacheWrite: rate,
    output: rate,
    reasoning: fc.option(rate, { nil: undefined }),
    image: fc.option(rate, { nil: undefined }),
  };
  const above = fc.nat(200_000);
  const longPrompts = fc.option(fc.record({ ...rates, above }), { nil: undefined });
  const price: fc.Arbitrary<Price> = fc.record({ ...rates, longPrompts });
  const count = fc.nat(100_000);
  const counts = fc.record({
    fresh: count,
    images: count,
    cached: count,
    written: count,
    output: count,
    reasoned: count,
  });

  it("is never less than the amount, whatever its tokens are", () => {
    fc.assert(
      fc.property(price, counts, (rated, { fresh, images, cached, written, output, reasoned }) => {
        const inputTokens = fresh + images + cached + written;
        const outputTokens = output + reasoned;
        const given = {
          ...tokens(inputTokens, outputTokens, cached, written),
          reasoningTokens: reasoned,
          imageTokens: images,
        };
        const amount = amountOf(given, rated)!;
        const greatest = greatestAmount({ inputTokens, outputTokens }, rated);
        expect(amount <= greatest).toBe(true);
        const fitting = outputTokensFor(greatest, inputTokens, rated);
        expect(fitting).toBeGreaterThanOrEqual(outputTokens);
      }),
    );
  });

  it("counts reasoning and images at their own prices, which are those of the output and the input by default", () => {
    const plain = { input: 1n, cachedInput: 1n, cacheWrite: 1n, output: 2n };
    const million = 1_000_000;
    const given = {
      ...tokens(3 * million, 3 * million),
      reasoningTokens: million,
      imageTokens: million,
    };
    expect(amountOf(given, plain)).toBe(9n);
    expect(amountOf(given, { ...plain, reasoning: 10n, image: 100n })).toBe(2n + 100n + 4n + 10n);
  });
});

it.each([
  [0n, "0"],
  [1n, "0.000000001"],
  [1_000_000_000n, "1"],
  [12_500_000_000n, "12.5"],
])("%s nano-dollars are %s dollars", (nano, text) => {
  expect(toDecimal(nano)).toBe(text);
});
