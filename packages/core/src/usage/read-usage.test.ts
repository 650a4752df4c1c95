import { users, workspaces } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { writeTestUsage } from "../../testing/usage.ts";
import { addMember, removeMember } from "../workspaces/members.ts";
import { getOwnUsage } from "./own-usage.ts";
import { getServerUsage, getUsage } from "./read-usage.ts";
import { sumUsage } from "./sum-usage.ts";

const at = (text: string) => Date.parse(text);

describe("usage", () => {
  const test = workspaceTest({ role: "builder", agents: ["ann"] });
  // The 20th of a month.
  beforeEach(() => (test.clock.now = at("2030-05-20T12:00:00Z")));

  type Asked = Omit<InputOf<(typeof endpoints)["usage.get"]>, "wId">;
  const read = async (asked: Asked) =>
    getUsage(test.context, parseInput(endpoints["usage.get"], { wId: test.workspaceId, ...asked }));
  const days = { startDate: "2030-05-18", endDate: "2030-05-20" };
  const write = (...changes: Parameters<typeof writeTestUsage>[1][]) =>
    writeTestUsage(test.context, ...changes);

  it("is of days, with as many days before them", async () => {
    await write(
      { at: at("2030-05-18T00:00:00Z") },
      { at: at("2030-05-20T11:00:00Z"), amount: 500_000_000n, isEstimated: true },
      { at: at("2030-05-17T23:59:59Z"), amount: null },
      { at: at("2030-05-14T23:59:59Z") },
    );
    const expected = {
      timezone: "UTC",
      rows: [
        { date: "2030-05-18", startsAt: at("2030-05-18"), id: null, isOthers: false, amount: "1" },
        { date: "2030-05-20", amount: "0.5", estimatedAmount: "0.5", calls: 1, inputTokens: 100 },
      ],
      totals: [
        {
          currency: "USD",
          calls: 2,
          amount: "1.5",
          estimatedAmount: "0.5",
          outputTokens: 20,
          before: { calls: 1, unpricedCalls: 1, amount: "0", inputTokens: 100 },
        },
      ],
    };
    expect(await read(days)).toMatchObject(expected);
    await sumUsage(test.core);
    expect(await read(days)).toMatchObject(expected);
    expect(await read({ startDate: "2031-01-01", endDate: "2031-01-01" })).toEqual({
      timezone: "UTC",
      rows: [],
      groups: [],
      totals: [],
    });
  });

  it.each([
    ["Europe/Berlin", "2030-05-19", at("2030-05-18T22:00:00Z"), "Europe/Berlin"],
    ["America/New_York", "2030-05-18", at("2030-05-18T04:00:00Z"), "America/New_York"],
    // Half an hour more than five.
    ["Asia/Kolkata", "2030-05-18", at("2030-05-18"), "UTC"],
  ])("is of days in %s", async (timezone, date, startsAt, shown) => {
    await write({ at: at("2030-05-18T23:15:00Z") });
    await sumUsage(test.core);
    const found = await read({ ...days, timezone });
    expect(found).toMatchObject({ timezone: shown, rows: [{ date, startsAt }] });
  });

  it("is of days in UTC where there are no hours any more", async () => {
    await write({ at: at("2030-02-01T23:15:00Z") });
    await sumUsage(test.core);
    const range = { startDate: "2030-01-01", endDate: "2030-05-20", timezone: "Europe/Berlin" };
    expect((await read(range)).rows).toMatchObject([{ date: "2030-02-01" }]);
  });

  it("is of hours, of the last days", async () => {
    await write({ at: at("2030-05-20T10:59:00Z") }, { at: at("2030-05-20T11:00:00Z") });
    const hours = { ...days, groupBy: "hour" } as const;
    const startsAt = ["10", "11"].map((hour) => ({ startsAt: at(`2030-05-20T${hour}:00:00Z`) }));
    expect((await read(hours)).rows).toMatchObject(startsAt);
    await sumUsage(test.core);
    expect((await read(hours)).rows).toMatchObject(startsAt);
  });

  it.each([
    [{ startDate: "2030-05-20", endDate: "2030-05-19" }, "endDate"],
    [{ startDate: "2029-05-19", endDate: "2030-05-20" }, "endDate"],
    [{ startDate: "2030-05-01", endDate: "2030-05-08", groupBy: "hour" }, "endDate"],
    [{ startDate: "2030-04-01", endDate: "2030-04-02", groupBy: "hour" }, "startDate"],
  ] as const)("refuses the range %j", async (asked, field) => {
    await expect(read(asked)).rejects.toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining(field) as string,
    });
  });

  it("is divided by what it names, of which those that cost most have rows of their own", async () => {
    const { id, sid, name } = test.context.caller.apiKey;
    await write(
      { agentId: "ann", userId: test.context.caller.user.id },
      { agentId: "gone", modelId: "m2", origin: "title", apiKeyId: null, amount: 3n },
    );
    const groupsBy = async (by: Asked["by"]) => (await read({ ...days, by })).groups;
    const first = { isOthers: false, calls: 1, amount: "1" };
    const second = { isOthers: false, calls: 1, amount: "0.000000003" };
    expect(id).toBeGreaterThan(0);
    expect(await groupsBy("agent")).toMatchObject([
      { ...first, id: "ann", name: expect.any(String) as string },
      { ...second, id: "gone", name: null },
    ]);
    expect(await groupsBy("model")).toMatchObject([
      { ...first, id: "openai/gpt-5" },
      { ...second, id: "openai/m2" },
    ]);
    expect(await groupsBy("key")).toMatchObject([
      { ...first, id: sid, name },
      { ...second, id: null, name: null },
    ]);
    expect(await groupsBy("user")).toMatchObject([
      { ...first, id: test.context.caller.user.sid },
      { ...second, id: null, name: null },
    ]);
    expect(await groupsBy("origin")).toMatchObject([
      { ...first, id: "answer" },
      { ...second, id: "title" },
    ]);
    const many = Array.from({ length: 30 }, (_, index) => ({
      agentId: `agent${String(index).padStart(2, "0")}`,
      amount: 10n - BigInt(index % 3),
    }));
    await write(...many);
    const { rows, groups } = await read({ ...days, by: "agent" });
    expect(groups).toHaveLength(21);
    expect(rows).toHaveLength(21);
    expect(groups.at(-1)).toMatchObject({ isOthers: true, id: null, calls: 12 });
  });

  it("is of what the filters name", async () => {
    const { user } = test.context.caller;
    await write({ agentId: "bob", userId: user.id, apiKeyId: null }, { modelId: "m2" });
    const calls = async (asked: Partial<Asked>) =>
      (await read({ ...days, ...asked })).totals[0]?.calls ?? 0;
    expect(await calls({})).toBe(2);
    expect(await calls({ agents: ["bob"] })).toBe(1);
    expect(await calls({ agents: ["bob", "ann"] })).toBe(2);
    expect(await calls({ users: [user.sid] })).toBe(1);
    expect(await calls({ keys: [test.context.caller.apiKey.sid] })).toBe(1);
    expect(await calls({ models: ["openai/m2"] })).toBe(1);
    expect(await calls({ models: ["openai/m2"], agents: ["bob"] })).toBe(0);
    expect(await calls({ origins: ["title"] })).toBe(0);
    await sumUsage(test.core);
    expect(await calls({ users: [user.sid] })).toBe(1);
    expect(await calls({ users: ["unknown"] })).toBe(0);
  });

  it("is the ledger, whatever is summed and whatever it is divided by", async () => {
    const entry = fc.record({
      at: fc.integer({ min: at("2030-05-18"), max: at("2030-05-21") - 1 }),
      agentId: fc.stringMatching(/^[a-z]$/),
      inputTokens: fc.nat(1000),
      amount: fc.bigInt(0n, 2n ** 50n),
    });
    let [calls, inputTokens, amount] = [0, 0, 0n];
    const check = async (entries: { inputTokens: number; amount: bigint }[], isSummed: boolean) => {
      await write(...entries);
      calls += entries.length;
      for (const one of entries)
        [inputTokens, amount] = [inputTokens + one.inputTokens, amount + one.amount];
      if (isSummed) await sumUsage(test.core);
      const { rows, totals } = await read({ ...days, by: "agent", groupBy: "hour" });
      const whole = `${amount / 10n ** 9n}`;
      const total = totals[0] ?? { calls: 0, inputTokens: 0, amount: "0" };
      expect(total).toMatchObject({ calls, inputTokens });
      expect(total.amount.split(".")[0]).toBe(whole);
      expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(calls);
    };
    const run = fc.asyncProperty(fc.array(entry, { maxLength: 20 }), fc.boolean(), check);
    await fc.assert(run, { numRuns: 20, endOnFailure: true });
  });

  it("of a removed user is shown under a pseudonym", async () => {
    const { core, context } = test;
    const admin = await openTestContext(core, test.workspace, "admin");
    const wId = test.workspaceId;
    const { member } = await addMember(admin, {
      wId,
      email: "ada@example.com",
      firstName: "Ada",
      username: undefined,
      lastName: undefined,
      image: undefined,
    });
    await writeTestUsage(context, { userId: member.id });
    const readUser = async () => (await read({ ...days, by: "user" })).groups;
    expect(await readUser()).toMatchObject([{ id: member.sId, name: "Ada", amount: "1" }]);
    await removeMember(admin, { wId, memberId: member.sId });
    expect(await readUser()).toMatchObject([{ id: member.sId, name: "Removed user", amount: "1" }]);
    expect(await core.database.db.$count(users, eq(users.sid, member.sId))).toBe(1);
  });

  it("of another workspace, or user, is not shown", async () => {
    const { core, workspace } = test;
    const other = await openTestContext(core, await insertTestWorkspace(core));
    await writeTestUsage(other, {}, {});
    expect((await read(days)).totals).toEqual([]);
    const open = async () => openTestContext(core, workspace);
    const [first, second, third] = [await open(), await open(), await open()];
    const ofKey = (context: typeof test.context) => ({ userId: context.caller.user.id });
    const user = { ...second, caller: { ...second.caller, user: third.caller.user } };
    const asUser = Object.assign(Object.create(core) as typeof test.context, user);
    const before = { ...ofKey(first), at: at("2030-04-30T23:59:59Z") };
    await writeTestUsage(first, ofKey(first), before);
    const own = { ...ofKey(second), amount: 5n };
    await writeTestUsage(second, own, { ...ofKey(third), amount: 7n });
    for (let summed = 0; summed < 2; summed++) {
      const month = { startsAt: at("2030-05-01"), endsAt: at("2030-06-01") };
      expect(await getOwnUsage(first)).toMatchObject({
        ...month,
        days: [{ date: "2030-05-20", amount: "1", calls: 1 }],
        totals: [{ currency: "USD", amount: "1" }],
      });
      expect(await getOwnUsage(second)).toMatchObject({ totals: [{ amount: "0.000000005" }] });
      expect(await getOwnUsage(asUser)).toMatchObject({ totals: [{ amount: "0.000000007" }] });
      await sumUsage(core);
    }
  });

  it("of the server is divided by workspaces, of which those that are deleted leave nothing", async () => {
    const { core } = test;
    const other = await openTestContext(core, await insertTestWorkspace(core));
    const date = "2029-03-03";
    await writeTestUsage(test.context, { at: at(date) });
    await writeTestUsage(other, { at: at(date), currency: "EUR", amount: 2n });
    await core.database.db
      .update(workspaces)
      .set({ name: "Acme" })
      .where(eq(workspaces.id, test.workspace.id));
    const gone = await openTestContext(core, await insertTestWorkspace(core));
    await writeTestUsage(gone, { at: at(date), amount: 1n });
    await sumUsage(core);
    await writeTestUsage(gone, { at: at(date), amount: 0n });
    const { sid: wId } = gone.caller.workspace;
    await test.operator.deleteWorkspace({ wId });
    const input = { startDate: date, endDate: date };
    const request = test.operator.context;
    const found = await getServerUsage(request, parseInput(endpoints["usage.getServer"], input));
    expect(found.groups).toMatchObject([
      { id: test.workspaceId, name: "Acme", amount: "1" },
      { id: other.caller.workspace.sid, currency: "EUR" },
    ]);
    expect(found.totals.map(({ currency }) => currency).toSorted()).toEqual(["EUR", "USD"]);
    const one = parseInput(endpoints["usage.getServer"], {
      ...input,
      workspaces: [test.workspaceId],
    });
    expect((await getServerUsage(request, one)).groups).toHaveLength(1);
  });
});
