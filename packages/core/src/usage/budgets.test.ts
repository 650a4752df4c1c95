import { budgets, budgetSpending, usageEntries } from "@parley/db";
import type { CreateBudget } from "@parley/schema";
import { eq, isNull } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestAgent } from "../../testing/testing.ts";
import type { RequestContext } from "../context.ts";
import { updateWorkspace } from "../workspaces/workspaces.ts";
import {
  createBudget,
  createServerBudget,
  deleteBudget,
  deleteServerBudget,
  updateBudget,
  updateServerBudget,
} from "./budgets.ts";
import { listBudgets, listBudgetSpending, listServerBudgets } from "./list-budgets.ts";
import { toNano } from "./prices.ts";

const page = { limit: 100, lastValue: undefined };

describe("budgets", () => {
  const test = workspaceTest({ per: "test", role: "admin", agents: ["ann"] });
  const wId = () => test.workspaceId;
  const db = () => test.core.database.db;
  const create = async (changes: Partial<CreateBudget> = {}) => {
    const input = {
      wId: wId(),
      name: "team",
      scope: "workspace",
      measure: "money",
      limit: "10",
      period: "month",
      timezone: "UTC",
      isHard: true,
      subjectId: undefined,
      currency: undefined,
      ...changes,
    } as const;
    return (await createBudget(test.context, input)).budget;
  };
  const createServer = async (currency = "USD", isHard = false) => {
    const input = { name: "all", measure: "money", limit: "10", period: "all" } as const;
    const rest = { timezone: "UTC", isHard, currency };
    return (await createServerBudget(test.operator.context, { ...input, ...rest })).budget;
  };
  const change = async (
    budgetId: string,
    changes: object,
    context: RequestContext = test.context,
  ) => updateBudget(context, { wId: wId(), budgetId, ...changes } as never);
  const list = async () => (await listBudgets(test.context, { wId: wId(), ...page })).budgets;
  let calls = 0;
  const bill = async (amount: string, changes: Partial<typeof usageEntries.$inferInsert> = {}) => {
    await db()
      .insert(usageEntries)
      .values({
        workspaceId: test.workspace.id,
        at: test.core.now(),
        origin: "answer",
        logId: `of ${test.workspace.sid}`,
        attempt: 1,
        call: calls++,
        step: 0,
        conversationId: 1,
        apiKeyId: test.context.caller.apiKey.id,
        userId: test.context.caller.user.id,
        agentId: "ann",
        providerId: "openai",
        modelId: "gpt-5",
        amount: toNano(amount),
        currency: "USD",
        isEstimated: false,
        ...changes,
      });
  };
  const clear = async () => void (await db().delete(budgets).where(isNull(budgets.workspaceId)));
  beforeEach(clear);
  afterEach(clear);

  it("begin with what was spent in the period, and the next one with nothing", async () => {
    test.clock.now = Date.parse("2026-11-15T12:00:00Z");
    await bill("3", { at: Date.parse("2026-10-31T22:59:59Z") });
    await bill("2.5", { at: Date.parse("2026-10-31T23:00:00Z") });
    await bill("1.25");
    const budget = await create({ timezone: "Europe/Berlin" });
    expect(budget).toMatchObject({
      scope: "workspace",
      limit: "10",
      currency: "USD",
      isOperators: false,
      startsAt: Date.parse("2026-10-31T23:00:00Z"),
      endsAt: Date.parse("2026-11-30T23:00:00Z"),
      spending: { subjectId: null, spent: "3.75", reserved: "0", left: "6.25", isUsedUp: false },
    });
    test.clock.now = Date.parse("2026-12-01T00:00:00Z");
    expect(await list()).toMatchObject([{ spending: { spent: "0" }, usedUp: 0, subjects: 0 }]);
  });

  it.each([
    ["api_key", (): string => test.context.caller.apiKey.sid],
    ["user", (): string => test.context.caller.user.sid],
    ["agent", (): string => "ann"],
  ] as const)("are for each %s by itself, or for one", async (scope, sidOf) => {
    await bill("11");
    await bill("4", { apiKeyId: 0, userId: 0, agentId: "bob" });
    const each = await create({ scope });
    expect(each.spending).toMatchObject({ subjectId: sidOf(), spent: "11", left: "0" });
    expect(each).toMatchObject({ usedUp: 1, subjectId: null });
    const one = await create({ scope, subjectId: sidOf(), limit: "20" });
    expect(one).toMatchObject({ subjectId: sidOf(), subjects: 1, usedUp: 0 });
    expect(one.spending).toMatchObject({ subjectId: sidOf(), spent: "11", left: "9" });
    const of = { wId: wId(), budgetId: each.sId, limit: 1 };
    const first = await listBudgetSpending(test.context, { ...of, lastValue: undefined });
    expect(first).toMatchObject({ spending: [{ subjectId: sidOf() }], hasMore: scope === "agent" });
    const lastValue = first.lastValue ?? undefined;
    const { spending } = await listBudgetSpending(test.context, { ...of, lastValue });
    expect(spending.map(({ spent }) => spent)).toEqual(scope === "agent" ? ["4"] : []);
  });

  it("that have no end begin with nothing", async () => {
    await bill("4");
    const { createdAt, ...budget } = await create({ period: "all" });
    expect(budget).toMatchObject({ startsAt: createdAt, endsAt: null, spending: { spent: "0" } });
  });

  it("are refused in another currency, and for what the workspace does not have", async () => {
    await expect(create({ currency: "EUR" })).rejects.toThrow("budgets are in USD");
    const ofNone = (scope: CreateBudget["scope"]) => refusalOf(create({ scope, subjectId: "x" }));
    expect(await ofNone("api_key")).toBe("404 api_key_not_found");
    expect(await ofNone("agent")).toBe("404 agent_not_found");
    expect(await ofNone("user")).toBe("404 member_not_found");
    expect(await ofNone("conversation")).toBe("404 conversation_not_found");
    await expect(create({ subjectId: "x" })).rejects.toThrow("limits no single subject");
    await create();
    const changed = updateWorkspace(test.context, { wId: wId(), currency: "EUR" } as never);
    await expect(changed).rejects.toThrow("budgets in USD, which are to be deleted first");
  });

  it("cannot be hard while an agent's enabled model has no price", async () => {
    const own = { providerId: "openai_compatible", modelId: "llama" };
    const fallbackModels = [own];
    await insertTestAgent(test.core, test.workspace, { sid: "lee", fallbackModels });
    await create();
    await updateWorkspace(test.context, { wId: wId(), enableModels: [own] } as never);
    await expect(create()).rejects.toThrow(
      "without a price, which no hard budget could hold: openai_compatible/llama",
    );
    const soft = await create({ isHard: false });
    await expect(change(soft.sId, { isHard: true })).rejects.toThrow("openai_compatible/llama");
    await create({ scope: "agent", subjectId: "ann" });
    await expect(createServer("USD", true)).rejects.toThrow("openai_compatible/llama");
  });

  it("change for the next call, and are announced again with a higher limit", async () => {
    await bill("11");
    const { sId } = await create({ isHard: false });
    await db().update(budgetSpending).set({ reachedAt: 1 });
    const { budget } = await change(sId, { limit: "12", name: "new" });
    expect(budget).toMatchObject({ name: "new", limit: "12", spending: { left: "1" } });
    const rows = await db().select().from(budgetSpending);
    expect(rows.map(({ reachedAt }) => reachedAt)).toContain(null);
    const rest = await deleteBudget(test.context, { wId: wId(), budgetId: sId });
    expect(rest).toEqual({ success: true });
    expect(await list()).toEqual([]);
    expect(await refusalOf(change(sId, { limit: "1" }))).toBe("404 budget_not_found");
  });

  it("of operators are seen by the workspace's admins, and not changed", async () => {
    const { context } = test.operator;
    const input = { name: "cap", scope: "workspace", measure: "money", limit: "1" } as const;
    const rest = { wId: wId(), period: "day", timezone: "UTC", isHard: true } as const;
    const none = { subjectId: undefined, currency: undefined };
    const { budget } = await createBudget(context, { ...input, ...rest, ...none });
    expect(await list()).toMatchObject([{ sId: budget.sId, isOperators: true }]);
    expect(await refusalOf(change(budget.sId, { limit: "5" }))).toBe("403 app_auth_error");
    const deletion = deleteBudget(test.context, { wId: wId(), budgetId: budget.sId });
    expect(await refusalOf(deletion)).toBe("403 app_auth_error");
    await change(budget.sId, { limit: "5" }, context);
    expect(await list()).toMatchObject([{ limit: "5" }]);
  });

  it("of the server need one currency, which workspaces then keep", async () => {
    await expect(createServer("EUR")).rejects.toThrow("workspaces have another than EUR");
    const { sId } = await createServer();
    const changed = updateWorkspace(test.context, { wId: wId(), currency: "EUR" } as never);
    await expect(changed).rejects.toThrow("budgets of the server are in USD");
    const { context } = test.operator;
    await updateServerBudget(context, { budgetId: sId, limit: "3" } as never);
    const { budgets: listed } = await listServerBudgets(context, page);
    expect(listed).toMatchObject([{ sId, limit: "3", scope: "server", isOperators: true }]);
    expect(await list()).toEqual([]);
    expect(await refusalOf(deleteBudget(test.context, { wId: wId(), budgetId: sId }))).toBe(
      "404 budget_not_found",
    );
    await deleteServerBudget(context, { budgetId: sId });
    expect((await listServerBudgets(context, page)).budgets).toEqual([]);
  });

  it("are 200 at most in a workspace", async () => {
    const { sId } = await create();
    const [row] = await db().select().from(budgets).where(eq(budgets.sid, sId));
    const { id: _id, ...copied } = row!;
    const rows = Array.from({ length: 199 }, () => ({ ...copied, sid: test.core.newId("bud") }));
    await db().insert(budgets).values(rows);
    await expect(create()).rejects.toThrow("the workspace has 200 budgets");
    const { budgets: first, lastValue } = await listBudgets(test.context, { wId: wId(), ...page });
    const second = await listBudgets(test.context, {
      wId: wId(),
      limit: 100,
      lastValue: lastValue ?? undefined,
    });
    expect([first.length, second.budgets.length, second.hasMore]).toEqual([100, 100, false]);
  });
});
