import { describe, expect, test } from "vitest";
import { createRpcClient } from "parley-client";
import { pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// What callers meet once a hard budget is spent; what models cost is reserved by the workers.

describe("budgets", () => {
  const server = shareServer();
  const { rpc, operator } = createCalls(server);
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async (key: string, mentions: readonly object[] = mentionOf("helper")) =>
    send(server(), {
      path: pathsOf(server()).conversations,
      json: { message: { content: "x", mentions } },
      key,
    });

  test("that are spent refuse what would start an answer at once, until they are raised", async () => {
    const { adminKey } = server().demo;
    expect((await create(adminKey)).status).toBe(200);
    const limits = { name: "x", scope: "agent", subjectId: "helper", period: "day" } as const;
    const { budget } = await rpc().budgets.create.mutate({ ...ofDemo(), ...limits, limit: "0" });
    const refused = await create(adminKey);
    const { error } = JSON.parse(refused.text) as { error: { type: string; message: string } };
    expect([refused.status, error.type]).toEqual([429, "budget_exceeded"]);
    const endsAt = new Date(budget.endsAt!).toISOString();
    expect(error.message).toContain(`The budget of the agent is used up until ${endsAt}`);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(Math.abs(seconds * 1000 - (budget.endsAt! - Date.now()))).toBeLessThan(60_000);
    // What starts no answer is not refused.
    expect((await create(adminKey, [])).status).toBe(200);
    const of = { ...ofDemo(), budgetId: budget.sId };
    await rpc().budgets.update.mutate({ ...of, limit: "1" });
    expect((await create(adminKey)).status).toBe(200);
    await rpc().budgets.delete.mutate(of);
  });

  test("of one workspace are unknown to others, and are the operator's to set", async () => {
    const { adminKey, workspace } = await operator().workspaces.create.mutate({ name: "Other" });
    const other = createRpcClient({ url: server().url, apiKey: adminKey });
    const limits = { name: "x", scope: "workspace", period: "all", limit: "5" } as const;
    const { budget } = await operator().budgets.create.mutate({ wId: workspace.sId, ...limits });
    const of = { wId: workspace.sId, budgetId: budget.sId };
    const { budgets } = await other.budgets.list.query({ wId: workspace.sId });
    expect(budgets).toMatchObject([{ sId: budget.sId, isOperators: true }]);
    await expect(other.budgets.update.mutate({ ...of, limit: "6" })).rejects.toThrow(
      "An operator of the server has set this budget",
    );
    const foreign = rpc().budgets.update.mutate({ ...ofDemo(), budgetId: budget.sId, limit: "6" });
    await expect(foreign).rejects.toThrow("The workspace has no budget");
  });
});
