import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { ModelPrices } from "./model-prices.tsx";

const rates = { input: "1.25", cachedInput: "0.125", output: "10" };
const priceOf = (modelId: string, changed: object = {}) => ({
  providerId: "openai",
  modelId,
  price: rates,
  origin: "shipped",
  source: "https://example.com/pricing",
  checkedOn: "2026-11-27",
  note: null,
  ...changed,
});
const prices = [
  priceOf("gpt-5"),
  priceOf("own", { origin: "workspace", source: null, note: "Contract" }),
  priceOf("llama", { price: null, origin: null, source: null }),
];
const section = async (answers: Answers = {}) =>
  show(<ModelPrices />, {
    answers: { "prices.list": () => ({ currency: "EUR", prices, upcoming: [] }), ...answers },
  });

test("shows where each price is from, and which models have none", async () => {
  await section();
  const shipped = await rowOf("openai/gpt-5");
  expect(shipped.textContent).toMatch(/1\.25.*0\.125.*10.*published, read 2026-11-27/);
  expect((await rowOf("openai/llama")).textContent).toContain("no price");
  expect((await rowOf("openai/own")).textContent).toContain("workspaceContract");
  expect(screen.getByText(/in EUR/)).toBeDefined();
});

test("sets a price, and leaves out what is empty", async () => {
  const { user, calls } = await section({ "prices.set": () => ({ price: prices[1] }) });
  const row = await rowOf("openai/llama");
  await user.click(within(row).getByRole("button", { name: "Set price openai/llama" }));
  await user.type(screen.getByRole("textbox", { name: "Input" }), "0.5");
  await user.type(screen.getByRole("textbox", { name: "Output" }), "2");
  await user.click(screen.getByRole("button", { name: "Set price" }));
  expect(await screen.findByText("The price of openai/llama is set")).toBeDefined();
  const model = { providerId: "openai", modelId: "llama" };
  expect(inputsOf(calls, "prices.set")).toEqual([
    { wId: "wks_1", ...model, input: "0.5", output: "2" },
  ]);
});

test("removes a price of the workspace, and no other", async () => {
  const { user, calls } = await section({ "prices.remove": () => ({ success: true }) });
  const shipped = within(await rowOf("openai/gpt-5"));
  expect(shipped.queryByRole("button", { name: /Remove/ })).toBeNull();
  const row = within(await rowOf("openai/own"));
  await user.click(row.getByRole("button", { name: "Remove price openai/own" }));
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "own{Enter}");
  expect(await screen.findByText("The price of openai/own is removed")).toBeDefined();
  expect(inputsOf(calls, "prices.remove")).toEqual([
    { wId: "wks_1", providerId: "openai", modelId: "own" },
  ]);
});
