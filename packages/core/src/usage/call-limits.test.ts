import { actions, budgets, budgetSpending, events } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimTestTurns, createTestConversation, insertTestLimit } from "../../testing/testing.ts";
import { saveStep } from "../turns/save-step.ts";
import { CallLimitReached } from "./call-limits.ts";

type Claimed = Awaited<ReturnType<typeof claimTestTurns>>[number];

describe("limits of tool calls", () => {
  const test = workspaceTest({ per: "test", agents: ["ann", "bob"] });
  beforeEach(async () => {
    await db().delete(budgets);
    await db().delete(budgetSpending);
  });
  const db = () => test.core.database.db;
  const limit = async (count: number, given: Partial<typeof budgets.$inferInsert> = {}) => {
    const { workspaceId = test.context.caller.workspace.id, ...more } = given;
    await insertTestLimit(test.core, workspaceId, { limit: BigInt(count), ...more });
  };
  const claim = async (agents: readonly string[]): Promise<Claimed[]> => {
    for (const agent of agents) await createTestConversation(test.context, [agent]);
    return claimTestTurns(test.core);
  };
  const call = async (claimed: Claimed, step: number, count: number) => {
    const calls = Array.from({ length: count }, (_, index) => ({
      id: `call_${step}_${index}`,
      name: "look",
      params: {},
      output: "seen",
      isError: false,
      durationMs: 1,
    }));
    const texts = { rawContents: [{ step, content: "" }], chainOfThought: null };
    return saveStep(test.core, { ...claimed, step, calls, events: [], ...texts });
  };
  const spent = async () => db().select().from(budgetSpending);

  it("hold for all steps of an answer, of which the last is not written at all", async () => {
    await limit(3, { period: "answer" });
    const [one, other] = await claim(["ann", "bob"]);
    await call(one!, 0, 2);
    const before = await db().$count(events);
    const refused = await call(one!, 1, 2).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CallLimitReached);
    const message = "The answer may call tools at most 3 times";
    expect(refused).toMatchObject({ error: { code: "budget_exceeded", message } });
    expect(await db().$count(events)).toBe(before);
    await call(one!, 1, 1);
    // Each answer has its own.
    await call(other!, 0, 3);
    expect(await spent()).toEqual([]);
  });

  it("hold to the last call for many answers at once", async () => {
    await limit(20);
    const claimed = await claim(Array.from({ length: 15 }, () => "ann"));
    const made = await Promise.allSettled(claimed.map((one) => call(one, 0, 3)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    expect(await db().$count(actions)).toBe(18);
    expect(await spent()).toMatchObject([{ spent: 18n, subject: "" }]);
    const [refused] = made.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused).toMatchObject({
      error: {
        code: "budget_exceeded",
        message:
          "The limit of tool calls of the workspace is used up; its period ends at 2030-01-01T00:01:00.000Z",
      },
    });
    test.clock.now += 60_000;
    await call(claimed[14]!, 1, 3);
  });

  it.each([
    ["agent", "agent"],
    ["api_key", "API key"],
    ["user", "user"],
  ] as const)("are of each %s by itself", async (scope, name) => {
    await limit(2, { scope });
    const [ann, bob] = await claim(["ann", "bob"]);
    await call(ann!, 0, 2);
    await expect(call(ann!, 1, 1)).rejects.toThrow(`of this ${name} is used up`);
    const [other] = await Promise.allSettled([call(bob!, 0, 1)]);
    expect(other.status).toBe(scope === "agent" ? "fulfilled" : "rejected");
  });

  it("count a step once whose acknowledgement was lost, and not one of an attempt that lost its run", async () => {
    await limit(4);
    const [one] = await claim(["ann"]);
    await call(one!, 0, 2);
    await call(one!, 0, 2);
    const lost = { ...one!, run: { ...one!.run, attempt: 0 } };
    await expect(call(lost, 1, 2)).rejects.toThrow("no longer holds");
    expect(await spent()).toMatchObject([{ spent: 2n }]);
  });

  it("are those of others if they are soft, of another workspace, or of something else", async () => {
    await limit(0, { isHard: false });
    await limit(0, { workspaceId: 1_000_000_000 });
    await limit(0, { scope: "agent", subject: "bob" });
    const [one] = await claim(["ann"]);
    await call(one!, 0, 2);
    expect(await db().$count(actions, eq(actions.messageId, one!.turn.message.id))).toBe(2);
  });

  it("are asked for only where there are some", async () => {
    const [one] = await claim(["ann"]);
    expect(one!.turn.billing.limitsCalls).toBe(false);
    await limit(1, { workspaceId: null, scope: "server" });
    const [other] = await claim(["ann"]);
    expect(other!.turn.billing.limitsCalls).toBe(true);
    await expect(call(other!, 0, 2)).rejects.toThrow("of the server is used up");
  });
});
