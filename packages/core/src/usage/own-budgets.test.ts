import { budgets, budgetSpending } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { openTestContext } from "../../testing/testing.ts";
import { insertTestBudget } from "../../testing/usage.ts";
import { createCredentials, type Credentials } from "../access/credentials.ts";
import type { Context, WorkspaceCaller } from "../context.ts";
import { readOwnBudgets } from "./own-budgets.ts";
import { createBudgetedToken } from "./token-budgets.ts";

describe("the budget of a token's user", () => {
  const test = workspaceTest({ per: "test", role: "builder" });
  let credentials: Credentials;
  beforeAll(() => (credentials = createCredentials(test.core)));
  afterAll(() => credentials.close());
  const db = () => test.core.database.db;
  const mint = async (budget?: object, context = test.context): Promise<Context> => {
    const raw = { wId: test.workspaceId, externalId: "ada", scopes: ["files:read"], budget };
    const input = parseInput(endpoints["userTokens.create"], raw as never);
    const { secret } = await createBudgetedToken(context, input);
    // A token is of a workspace.
    const caller = (await credentials.authenticate(`Bearer ${secret}`)) as WorkspaceCaller;
    return Object.assign(Object.create(test.core) as Context, { caller });
  };
  const ofWorkspace = async () =>
    db().select().from(budgets).where(eq(budgets.workspaceId, test.workspace.id));

  it("is set with the token, and read by its user", async () => {
    expect(await readOwnBudgets(await mint())).toEqual({ budgets: [], others: [] });
    const context = await mint({ limit: "2", period: "day" });
    const [budget] = await ofWorkspace();
    expect(budget).toMatchObject({ scope: "user", subject: context.caller.user.sid, isHard: true });
    const startsAt = new Date(test.core.now()).setUTCHours(0, 0, 0, 0);
    const spent = { subject: budget!.subject!, startsAt, spent: 500_000_000n, reserved: 1n };
    await db()
      .insert(budgetSpending)
      .values({ budgetId: budget!.id, ...spent });
    expect(await readOwnBudgets(context)).toEqual({
      budgets: [
        {
          limit: "2",
          spent: "0.5",
          left: "1.499999999",
          currency: "USD",
          isHard: true,
          endsAt: startsAt + 24 * 60 * 60 * 1000,
        },
      ],
      others: [],
    });
    // The next token says again what it is; what was spent stays.
    const next = await readOwnBudgets(await mint({ limit: "0.5", period: "day", isHard: false }));
    expect(next.budgets).toMatchObject([{ limit: "0.5", spent: "0.5", isHard: false }]);
    const other = await readOwnBudgets(await mint({ limit: "3", period: "all" }));
    expect(other.budgets).toMatchObject([{ limit: "3", spent: "0", endsAt: null }]);
    expect(await ofWorkspace()).toHaveLength(1);
  });

  it.each([
    ["limit", { limit: "1234567890", period: "day" }],
    ["limit", { limit: "-1", period: "day" }],
    ["period", { limit: "1", period: "answer" }],
  ])("has a %s that money has: not of %j", async (member, budget) => {
    const issues = [{ path: `budget.${member}` }];
    await expect(mint(budget)).rejects.toMatchObject({ type: "invalid_request_error", issues });
  });

  it("says of other budgets only whether they are used up", async () => {
    const month = await insertTestBudget(test.core, test.workspace.id, { limit: 0n });
    await insertTestBudget(test.core, test.workspace.id, { scope: "agent" });
    const { budgets: own, others } = await readOwnBudgets(await mint());
    expect(own).toEqual([]);
    expect(others).toEqual([
      { scope: month.scope, isHard: false, isUsedUp: true, endsAt: expect.any(Number) },
    ]);
  });

  it("is not set by keys of role user, which could stop any member", async () => {
    const context = await openTestContext(test.core, test.workspace, "user");
    expect(await refusalOf(mint({ limit: "0", period: "all" }, context))).toBe(
      "403 app_auth_error",
    );
  });
});
