import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { UsagePage } from "./usage-page.tsx";
import { changeOf, daysOf, layersOf, rangeOf, type Usage } from "./usage-series.ts";

const figures = (amount: string, changed: object = {}) => ({
  currency: "USD",
  calls: 2,
  unpricedCalls: 0,
  inputTokens: 1000,
  outputTokens: 200,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  amount,
  estimatedAmount: "0",
  ...changed,
});
const helper = { id: "helper", name: "Helper", isOthers: false };
const gone = { id: "gone", name: null, isOthers: false };
const today = rangeOf("7", Date.now(), "UTC").endDate;
const usage: Usage = {
  timezone: "UTC",
  rows: [
    { date: today, startsAt: Date.parse(today), ...helper, ...figures("3") },
    { date: today, startsAt: Date.parse(today), ...gone, ...figures("1") },
  ],
  groups: [
    { ...helper, ...figures("3"), before: figures("2") },
    { ...gone, ...figures("1"), before: figures("0", { inputTokens: 0, outputTokens: 0 }) },
  ],
  totals: [{ ...figures("4", { unpricedCalls: 5 }), before: figures("2") }],
};

const page = async (answers: Answers = {}, options: object = {}) =>
  show(<UsagePage />, {
    href: "/usage",
    answers: { "usage.get": () => usage, ...answers },
    ...options,
  });

test("is loading until the usage is known, and says that there is none", async () => {
  const reading = Promise.withResolvers<unknown>();
  await page({ "usage.get": () => reading.promise });
  expect(screen.getByRole("status", { name: "Loading the usage" })).toBeDefined();
  reading.resolve({ timezone: "UTC", rows: [], groups: [], totals: [] });
  expect(await screen.findByText("No usage in this period")).toBeDefined();
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Download CSV" });
  expect(save.disabled).toBe(true);
});

test("says why the usage could not be read", async () => {
  await page({ "usage.get": refuse("Refused") });
  expect((await screen.findByRole("alert")).textContent).toMatch(/Refused.*req_1/);
});

test("shows what it cost, what of it changed, and what has no price", async () => {
  const { calls } = await page();
  const all = await screen.findByLabelText("In all");
  expect(all.textContent).toContain("$4.00");
  expect(all.textContent).toContain("+100 %");
  expect(screen.getByText(/5 calls are of models without a price/)).toBeDefined();
  expect((await rowOf("Helper")).textContent).toContain("+50 %");
  expect((await rowOf("gone")).textContent).toContain("new");
  expect(screen.getByRole("img", { name: "Cost by day. Highest day: $4.00" })).toBeDefined();
  expect(inputsOf(calls, "usage.get")).toMatchObject([{ wId: "wks_1", by: "agent" }]);
});

test("shows tokens, other days and another division, which are in the URL", async () => {
  const { user, calls, href } = await page();
  await screen.findByLabelText("In all");
  const choose = async (label: string, value: string) =>
    user.selectOptions(screen.getByRole("combobox", { name: label }), value);
  await choose("Show", "tokens");
  await choose("Divided by", "model");
  await choose("Period", "7");
  await waitFor(() => expect(href()).toBe("/usage?show=tokens&by=model&days=7"));
  expect(
    await screen.findByRole("img", { name: "Tokens by day. Highest day: 2,400" }),
  ).toBeDefined();
  const last = inputsOf(calls, "usage.get").at(-1);
  expect(last).toMatchObject({ by: "model", ...rangeOf("7", Date.now(), "UTC") });
  const numbers = screen.getByRole("region", { name: "Tokens by day" });
  expect(within(numbers).getByText("Helper")).toBeDefined();
});

test("shows operators the server by workspace", async () => {
  const { calls } = await page(
    { "usage.getServer": () => usage },
    { session: { workspace: null, role: "operator" } },
  );
  expect(await screen.findByRole("heading", { name: "Server usage" })).toBeDefined();
  await screen.findByLabelText("In all");
  expect(inputsOf(calls, "usage.getServer")).toMatchObject([{ by: "workspace" }]);
  const choices = within(screen.getByRole("combobox", { name: "Divided by" }));
  expect(choices.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
    "Nothing",
    "Model",
    "Purpose",
    "Workspace",
  ]);
});

test("layers have a value for each day, the greatest first, and the rest is one", () => {
  const days = daysOf({ startDate: "2026-02-27", endDate: "2026-03-01" });
  expect(days).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const of = (id: string, index: number) => ({
    id,
    name: null,
    isOthers: false,
    ...figures(String(index + 1)),
  });
  const rows = ids.map((id, index) => ({ date: days[1]!, startsAt: 0, ...of(id, index) }));
  const groups = ids.map((id, index) => ({ ...of(id, index), before: figures("0") }));
  const shown = { days, currency: "USD", measure: "cost" } as const;
  expect(layersOf({ timezone: "UTC", rows, groups, totals: [] }, shown)).toEqual([
    { name: "g", values: [0, 7, 0] },
    { name: "f", values: [0, 6, 0] },
    { name: "e", values: [0, 5, 0] },
    { name: "d", values: [0, 4, 0] },
    { name: "c", values: [0, 3, 0] },
    { name: "Others", values: [0, 3, 0] },
  ]);
});

test.each([
  [3, 2, "+50 %"],
  [1, 2, "-50 %"],
  [2, 2, "0 %"],
  [2, 0, undefined],
])("from %d before %d is a change of %s", (now, before, change) => {
  expect(changeOf(now, before)).toBe(change);
});
