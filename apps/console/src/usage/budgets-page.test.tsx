import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { BudgetBanner } from "./budget-banner.tsx";
import { BudgetsPage } from "./budgets-page.tsx";

const budgetOf = (name: string, changed: object = {}) => ({
  sId: `bud_${name}`,
  name,
  scope: "workspace",
  subjectId: null,
  limit: "10",
  currency: "USD",
  period: "month",
  timezone: "UTC",
  endsAt: 0,
  isHard: true,
  isOperators: false,
  spending: { subjectId: null, spent: "2.5", isUsedUp: false },
  subjects: 1,
  usedUp: 0,
  ...changed,
});
const listOf = (budgets: readonly object[]) => () => ({ budgets, hasMore: false, lastValue: null });
const team = budgetOf("Team");
const each = budgetOf("Each", {
  scope: "api_key",
  isHard: false,
  spending: { subjectId: "key_1", spent: "11", isUsedUp: true },
  subjects: 3,
  usedUp: 1,
});
const cap = budgetOf("Cap", { isOperators: true, endsAt: null, period: "all" });

const page = async (answers: Answers = {}, role: "admin" | "builder" = "admin") =>
  show(<BudgetsPage />, {
    href: "/budgets",
    session: { role },
    answers: { "budgets.list": listOf([team, each, cap]), ...answers },
  });

test("shows what is spent, and of a budget for each one who has spent the most", async () => {
  await page();
  const row = await rowOf("Team");
  expect(row.textContent).toMatch(/the workspace.*2\.5 of 10 USD.*month until.*hard/);
  const meter = within(row).getByRole("meter", { name: "Spent of Team" });
  expect(meter.getAttribute("aria-valuenow")).toBe("25");
  const ofKeys = await rowOf("Each");
  expect(ofKeys.textContent).toMatch(/each key.*3 have spent something, 1 all of it.*key_1.*soft/);
  expect(within(ofKeys).getByRole("meter").getAttribute("aria-valuenow")).toBe("100");
});

test("an operator’s budget, and to builders all, are shown without ways to change them", async () => {
  await page();
  expect(within(await rowOf("Cap")).queryByRole("button")).toBeNull();
  expect((await rowOf("Cap")).textContent).toContain("operator’s");
});

test("builders only read", async () => {
  await page({}, "builder");
  expect(within(await rowOf("Team")).queryByRole("button")).toBeNull();
  expect(screen.queryByRole("button", { name: "Create budget" })).toBeNull();
});

test("creates a budget for each key, and says why it could not", async () => {
  const { user, calls } = await page({
    "budgets.list": listOf([]),
    "budgets.create": refuse("agents use models without a price"),
  });
  await screen.findByText("No budgets yet");
  await user.click(screen.getByRole("button", { name: "Create budget" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Keys");
  await user.type(screen.getByRole("textbox", { name: "Limit" }), "12.5");
  await user.selectOptions(screen.getByRole("combobox", { name: "Limits" }), "Keys");
  await user.selectOptions(screen.getByRole("combobox", { name: "Period" }), "A day");
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect((await screen.findByRole("alert")).textContent).toContain("without a price");
  expect(inputsOf(calls, "budgets.create")).toEqual([
    {
      wId: "wks_1",
      name: "Keys",
      measure: "money",
      limit: "12.5",
      isHard: true,
      scope: "api_key",
      period: "day",
      timezone: "UTC",
    },
  ]);
});

test("creates a limit of tool calls, which is hard and for an answer", async () => {
  const { user, calls } = await page({
    "budgets.list": listOf([]),
    "budgets.create": () => ({ budget: team }),
  });
  await screen.findByText("No budgets yet");
  await user.click(screen.getByRole("button", { name: "Create budget" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Of" }), "Calls of tools");
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Loops");
  await user.type(screen.getByRole("textbox", { name: "Limit" }), "50");
  expect(screen.queryByRole("checkbox", { name: "Hard" })).toBeNull();
  expect(screen.queryByRole("option", { name: "In all" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Create" }));
  await screen.findByText("Team created");
  const of = { measure: "tool_calls", period: "answer", limit: "50", isHard: true };
  expect(inputsOf(calls, "budgets.create")).toMatchObject([of]);
});

test("changes a budget", async () => {
  const update = () => ({ budget: team });
  const { user, calls } = await page({ "budgets.update": update });
  await user.click(within(await rowOf("Team")).getByRole("button", { name: "Edit Team" }));
  const limit = screen.getByRole("textbox", { name: "Limit" });
  await user.clear(limit);
  await user.type(limit, "20");
  await user.click(screen.getByRole("checkbox", { name: "Hard" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Team saved")).toBeDefined();
  const input = { wId: "wks_1", budgetId: "bud_Team", name: "Team", limit: "20", isHard: false };
  expect(inputsOf(calls, "budgets.update")).toEqual([input]);
});

test("deletes a budget", async () => {
  const { user, calls } = await page({ "budgets.delete": () => ({ success: true }) });
  await user.click(within(await rowOf("Team")).getByRole("button", { name: "Delete Team" }));
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "Team{Enter}");
  expect(await screen.findByText("Team deleted")).toBeDefined();
  expect(inputsOf(calls, "budgets.delete")).toEqual([{ wId: "wks_1", budgetId: "bud_Team" }]);
  await waitFor(() => expect(inputsOf(calls, "budgets.list")).toHaveLength(2));
});

const banner = async (budgets: readonly object[], role: "admin" | "user" = "admin") =>
  show(<BudgetBanner />, { session: { role }, answers: { "budgets.list": listOf(budgets) } });

test("a budget that is used up is said on every page", async () => {
  await banner([team, each]);
  expect((await screen.findByRole("status")).textContent).toBe(
    "The budget Each is used up. Show budgets",
  );
});

test("nothing is said while none is used up, and nothing is read for users", async () => {
  const { calls } = await banner([team]);
  await waitFor(() => expect(inputsOf(calls, "budgets.list")).toHaveLength(1));
  expect(screen.queryByRole("status")).toBeNull();
});

test("users do not read budgets", async () => {
  const { calls } = await banner([each], "user");
  expect(inputsOf(calls, "budgets.list")).toEqual([]);
});
