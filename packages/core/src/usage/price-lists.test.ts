import { modelPrices } from "@parley/db";
import { eq, isNull, or, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { toNano } from "./prices.ts";
import { type Billing, billingOf } from "./turn-billing.ts";

describe("price lists", () => {
  const test = workspaceTest({ per: "test" });
  const gpt = { providerId: "openai", modelId: "gpt-5" };
  const now = () => test.core.now();
  const addPrice = async (changes: Partial<typeof modelPrices.$inferInsert> = {}) => {
    await test.core.database.db.insert(modelPrices).values({
      workspaceId: test.workspace.id,
      ...gpt,
      validFrom: now(),
      currency: "USD",
      input: toNano("1"),
      output: toNano("2"),
      createdAt: now(),
      ...changes,
    });
  };
  const removed = { input: null, output: null };
  const readBilling = async (): Promise<Billing> => {
    const { db } = test.core.database;
    const billing = sql<Billing>`(${billingOf(sql`${test.workspace.id}::bigint`)})`;
    const [row] = await db.select({ billing }).from(sql`(select '[]'::jsonb as tags) a`);
    return row!.billing;
  };
  const read = async () => test.core.priceListOf(test.workspace.id, await readBilling());
  const inputAt = async (time = now()) => (await read()).priceAt(gpt, time)?.input;
  afterEach(async () => {
    const isOf = or(
      isNull(modelPrices.workspaceId),
      eq(modelPrices.workspaceId, test.workspace.id),
    );
    await test.core.database.db.delete(modelPrices).where(isOf);
  });

  it("are what is shipped, until a price is set", async () => {
    expect(await readBilling()).toMatchObject({ priceVersion: 0 });
    expect(await inputAt()).toBe(toNano("1.25"));
    await addPrice();
    expect(await inputAt()).toBe(toNano("1"));
    expect((await read()).priceAt(gpt, now())).toEqual({
      input: toNano("1"),
      cachedInput: toNano("1"),
      cacheWrite: toNano("1"),
      output: toNano("2"),
      reasoning: undefined,
      image: undefined,
    });
  });

  it("have the workspace's price before an operator's, and each from its time on", async () => {
    await addPrice({ workspaceId: null, input: toNano("3") });
    expect(await inputAt()).toBe(toNano("3"));
    expect(await inputAt(now() - 1)).toBe(toNano("1.25"));
    await addPrice({ validFrom: now() + 1000 });
    expect(await inputAt()).toBe(toNano("3"));
    expect(await inputAt(now() + 1000)).toBe(toNano("1"));
  });

  it("have the next list's price of a model whose price was removed", async () => {
    await addPrice({ workspaceId: null, input: toNano("3") });
    await addPrice();
    await addPrice(removed);
    expect(await inputAt()).toBe(toNano("3"));
    await addPrice({ ...removed, workspaceId: null });
    expect(await inputAt()).toBe(toNano("1.25"));
  });

  it("have no price in another currency", async () => {
    await addPrice({ workspaceId: null, currency: "EUR", input: toNano("3") });
    expect(await inputAt()).toBe(toNano("1.25"));
    const inEuro = { currency: "EUR", priceVersion: (await readBilling()).priceVersion };
    const list = await test.core.priceListOf(test.workspace.id, {
      ...inEuro,
      isBudgeted: false,
      limitsCalls: false,
      tags: null,
    });
    expect(list.priceAt(gpt, now())?.input).toBe(toNano("3"));
    expect(list.priceAt({ ...gpt, modelId: "gpt-5-mini" }, now())).toBeUndefined();
  });
});
