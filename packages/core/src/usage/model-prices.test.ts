import { modelPrices } from "@parley/db";
import { eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { coreTest, workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace } from "../../testing/testing.ts";
import { listPrices, listServerPrices } from "./list-prices.ts";
import { removePrice, removeServerPrice, setPrice, setServerPrice } from "./model-prices.ts";
import { updateWorkspace } from "../workspaces/workspaces.ts";

const gpt = { providerId: "openai", modelId: "gpt-5" };
const rates = { input: "1", output: "2.5" };
const day = 24 * 60 * 60 * 1000;

describe("prices of a workspace", () => {
  const test = workspaceTest({ per: "test" });
  const wId = () => test.workspaceId;
  const set = async (changes: Partial<Parameters<typeof setPrice>[1]> = {}) =>
    setPrice(test.context, { wId: wId(), ...gpt, ...rates, ...changes } as never);
  const enable = async () =>
    updateWorkspace(test.context, { wId: wId(), enableModels: [gpt] } as never);
  const isOurs = () => eq(modelPrices.workspaceId, test.workspace.id);
  const list = async () => listPrices(test.context, { wId: wId() });
  const priceOfGpt = async () => (await list()).prices.find((one) => one.modelId === "gpt-5");
  afterEach(async () => {
    await test.core.database.db.delete(modelPrices).where(isNull(modelPrices.workspaceId));
  });

  it("are listed with where they are from, the free and the unknown too", async () => {
    await enable();
    const llama = { providerId: "openai_compatible", modelId: "llama" };
    await updateWorkspace(test.context, { wId: wId(), enableModels: [llama] } as never);
    const { currency, prices } = await list();
    expect(currency).toBe("USD");
    const priceOf = (id: string) => prices.find(({ modelId }) => modelId === id);
    expect(priceOf("simulated-1")).toMatchObject({ price: { output: "0" }, origin: "shipped" });
    expect(priceOf("noop")).toMatchObject({ source: null, validFrom: null });
    const shipped = { origin: "shipped", price: { input: "1.25", output: "10", reasoning: "10" } };
    expect(priceOf("gpt-5")).toMatchObject(shipped);
    expect(priceOf("llama")).toMatchObject({ price: null, origin: null, source: null });
    expect(priceOf("gpt-5")!.source).toMatch(/^https:/);
  });

  it("replace those of operators and those that are shipped, until they are removed", async () => {
    await enable();
    await setServerPrice(test.operator.context, { ...gpt, ...rates, currency: "USD" } as never);
    expect(await priceOfGpt()).toMatchObject({ origin: "operator", price: { output: "2.5" } });
    const { price } = await set({ input: "7", note: "Contract of 2026" });
    expect(price).toMatchObject({ ...gpt, note: "Contract of 2026", price: { image: "7" } });
    expect(await priceOfGpt()).toMatchObject({ origin: "workspace", price: { input: "7" } });
    await removePrice(test.context, { wId: wId(), ...gpt });
    expect(await priceOfGpt()).toMatchObject({ origin: "operator" });
    const again = removePrice(test.context, { wId: wId(), ...gpt });
    expect(await refusalOf(again)).toBe("404 price_not_found");
    await expect(again).rejects.toThrow("The workspace has set no price of openai/gpt-5 in USD");
    const remove = async () =>
      removeServerPrice(test.operator.context, { ...gpt, currency: "USD" });
    await remove();
    await expect(remove()).rejects.toThrow("The operators have set no price of openai/gpt-5");
    expect(await priceOfGpt()).toMatchObject({ origin: "shipped" });
    expect(await listServerPrices(test.operator.context)).toEqual({ prices: [] });
  });

  it("may begin later, and are removed with the one that counts now", async () => {
    await enable();
    const validFrom = test.core.now() + day;
    await set({ validFrom, input: "9" });
    const { upcoming } = await list();
    expect(await priceOfGpt()).toMatchObject({ origin: "shipped" });
    expect(upcoming).toMatchObject([{ ...gpt, origin: "workspace", validFrom }]);
    await removePrice(test.context, { wId: wId(), ...gpt });
    test.clock.now += 2 * day;
    expect(await priceOfGpt()).toMatchObject({ origin: "shipped" });
  });

  it("are refused for the past, in another currency, and of unknown models", async () => {
    await expect(set({ validFrom: test.core.now() - 1 })).rejects.toThrow(
      "validFrom: must not be in the past",
    );
    await expect(set({ currency: "EUR" })).rejects.toThrow("prices are in USD, its currency");
    expect(await refusalOf(set({ modelId: "gpt-0" }))).toBe("400 model_disabled");
  });

  it("are 500 at most: those that nothing is priced by make room first", async () => {
    const row = { workspaceId: test.workspace.id, currency: "USD", input: 1n, output: 1n };
    const at = { validFrom: test.core.now(), createdAt: test.core.now() };
    const other = { providerId: "openai_compatible" };
    const fill = async (modelOf: (index: number) => string) => {
      const rows = Array.from({ length: 500 }, (_, index) => {
        return { ...row, ...other, ...at, modelId: modelOf(index) };
      });
      await test.core.database.db.insert(modelPrices).values(rows);
    };
    await fill(() => "same");
    await expect(set()).rejects.toThrow("keeps 500 prices");
    test.clock.now += 2 * day;
    await set();
    await set();
    expect(await test.core.database.db.$count(modelPrices, isOurs())).toBeLessThan(5);
  });
});

describe("the currency of a workspace", () => {
  const test = coreTest();
  const open = async () => {
    const workspace = await insertTestWorkspace(test.core);
    const { context } = test.operator;
    const wId = workspace.sid;
    const change = async (currency: string) => updateWorkspace(context, { wId, currency } as never);
    return { wId, context, change };
  };

  it("changes while no price of its own counts", async () => {
    const { wId, context, change } = await open();
    expect(await change("EUR")).toMatchObject({ currency: "EUR" });
    await setPrice(context, { wId, ...gpt, ...rates } as never);
    expect(await change("EUR")).toMatchObject({ currency: "EUR" });
    await expect(change("USD")).rejects.toThrow("currency: the workspace has prices in EUR");
    await removePrice(context, { wId, ...gpt });
    expect(await change("USD")).toMatchObject({ currency: "USD" });
    const { prices } = await listPrices(context, { wId });
    expect(prices[0]).toMatchObject({ origin: "shipped" });
  });
});
