import { budgets, budgetSpending } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { announceTestFile } from "../../testing/files.ts";
import { createBudget, updateBudget } from "./budgets.ts";
import { listBudgets } from "./list-budgets.ts";

describe("budgets beside money", () => {
  const test = workspaceTest({ per: "test", role: "admin", agents: ["ann"] });
  const create = async (of: object) => {
    const input = { wId: test.workspaceId, name: "team", scope: "workspace", ...of };
    const { budget } = await createBudget(
      test.context,
      parseInput(endpoints["budgets.create"], input),
    );
    return budget;
  };

  it.each([
    { measure: "tool_calls", period: "answer", limit: "5", scope: "agent" },
    { measure: "tool_calls", period: "minute", limit: "100", scope: "api_key" },
    { measure: "processor_seconds", period: "day", limit: "3600", scope: "user" },
    { measure: "stored_bytes", period: "all", limit: "123456789012345", scope: "user" },
  ])("count $measure in one $period", async (of) => {
    const budget = await create(of);
    expect(budget).toMatchObject({
      ...of,
      currency: null,
      isHard: true,
      spending: null,
      usedUp: 0,
    });
    const page = { wId: test.workspaceId, limit: 10, lastValue: undefined };
    expect((await listBudgets(test.context, page)).budgets).toEqual([budget]);
  });

  it.each([
    [{ measure: "tool_calls", period: "all", limit: "5" }, "period: a budget of tool_calls is for"],
    [{ measure: "stored_bytes", period: "day", limit: "5" }, "period: a budget of stored_bytes"],
    [
      { measure: "money", period: "minute", limit: "5" },
      "period: a budget of money is for one of: day",
    ],
    [
      { measure: "stored_bytes", period: "all", limit: "5", scope: "agent" },
      "scope: a budget of stored_bytes limits one of: workspace, user",
    ],
    [{ period: "day", limit: "1234567890" }, "limit: must be an amount with at most 9 digits"],
    [{ measure: "tool_calls", period: "answer", limit: "1.5" }, "limit: must be a whole number"],
    [
      { measure: "tool_calls", period: "answer", limit: "5", isHard: false },
      "isHard: a budget of tool_calls is always hard",
    ],
  ])("are refused as %o", async (of, why) => {
    await expect(create(of)).rejects.toThrow(why);
  });

  it("show processor time in seconds, and stay hard and whole when they are changed", async () => {
    const of = { measure: "processor_seconds", period: "day", limit: "2" };
    const { sId: budgetId, startsAt } = await create(of);
    const { db } = test.core.database;
    const [row] = await db.select().from(budgets).where(eq(budgets.sid, budgetId));
    const spent = { subject: "", startsAt, spent: 1500n, reserved: 0n };
    await db.insert(budgetSpending).values({ budgetId: row!.id, ...spent });
    const change = async (changes: object) => {
      const input = { wId: test.workspaceId, budgetId, ...changes };
      return updateBudget(test.context, parseInput(endpoints["budgets.update"], input));
    };
    const left = { spent: "1.5", left: "0.5", isUsedUp: false };
    expect((await change({ name: "code" })).budget.spending).toMatchObject(left);
    expect((await change({ limit: "1" })).budget).toMatchObject({ limit: "1", usedUp: 1 });
    expect(await refusalOf(change({ limit: "1.5" }))).toBe("400 invalid_request_error");
    expect(await refusalOf(change({ isHard: false }))).toBe("400 invalid_request_error");
  });

  it("stop what they limit", async () => {
    await create({ measure: "stored_bytes", period: "all", limit: "10", scope: "user" });
    expect(await refusalOf(announceTestFile(test.context, { fileSize: 11 }))).toBe(
      "429 budget_exceeded",
    );
  });
});
