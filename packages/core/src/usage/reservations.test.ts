import { budgets, budgetHolds, budgetSpending, usageEntries, usageReservations } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { type CallToReserve, type Reserved, settleLostUsage } from "./reservations.ts";
import { type BilledCall, type UsagePlace, writeUsage } from "./usage-ledger.ts";

describe("reservations", () => {
  const test = workspaceTest({ per: "test" });
  const now = () => test.core.now();
  const workspaceId = () => test.context.caller.workspace.id;
  const rowsOf = async (table: typeof usageEntries | typeof usageReservations) =>
    test.core.database.db.select().from(table).where(eq(table.workspaceId, workspaceId()));
  let calls = 0;
  beforeEach(() => (calls = 0));

  const addBudget = async (changes: Partial<typeof budgets.$inferInsert> = {}) => {
    const [row] = await test.core.database.db
      .insert(budgets)
      .values({
        sid: test.core.newId(),
        workspaceId: workspaceId(),
        name: "team",
        scope: "workspace",
        subject: null,
        measure: "money",
        period: "month",
        timezone: "Europe/Berlin",
        limit: 100n,
        currency: "USD",
        isHard: true,
        isOperators: false,
        createdAt: now(),
        updatedAt: now(),
        ...changes,
      })
      .returning();
    return row!;
  };
  const place = (changes: Partial<UsagePlace> = {}): UsagePlace => ({
    workspaceId: workspaceId(),
    origin: "answer",
    logId: `message of ${workspaceId()}`,
    attempt: 1,
    call: calls++,
    step: 0,
    conversationId: 1,
    spaceId: null,
    apiKeyId: test.context.caller.apiKey.id,
    userId: test.context.caller.user.id,
    agentId: "ann",
    providerId: "openai",
    modelId: "gpt-5",
    currency: "USD",
    ...changes,
  });
  const reserve = async (
    fewest: bigint,
    most: bigint,
    changes: Partial<UsagePlace> = {},
  ): Promise<Reserved & { call: CallToReserve }> => {
    const amounts = { fewest, most };
    const call = { id: test.core.newId(), place: place(changes), conversationSid: "talk", amounts };
    return { ...(await test.core.reserveUsage(call)), call };
  };
  const settle = async ({ call }: { call: CallToReserve }, amount: bigint, isUnsent = false) => {
    const tokens = { inputTokens: 1, outputTokens: 1 };
    const of = { ...tokens, amount, isEstimated: false, reservationId: call.id, isUnsent };
    const billed: BilledCall = { ...call.place, ...of, at: now() };
    await writeUsage(test.core.database.db, [billed]);
  };

  it("grants what is left, and says whether others only hold it", async () => {
    await addBudget();
    const first = await reserve(10n, 80n);
    expect(first).toMatchObject({ outcome: "granted", amount: 80n });
    const second = await reserve(10n, 80n);
    expect(second).toMatchObject({ outcome: "granted", amount: 20n });
    expect(await reserve(10n, 80n)).toMatchObject({ outcome: "busy", scope: "workspace" });
    await settle(first, 75n);
    expect(await reserve(10n, 80n)).toMatchObject({ outcome: "busy" });
    await settle(second, 0n, true);
    expect(await reserve(10n, 80n)).toMatchObject({ outcome: "granted", amount: 25n });
    expect(await rowsOf(usageEntries)).toMatchObject([{ amount: 75n }]);
  });

  it("refuses what is spent, with the end of the period in its zone", async () => {
    await addBudget({ limit: 10n, scope: "agent" });
    await settle(await reserve(1n, 10n), 10n);
    const refused = await reserve(1n, 10n);
    expect(refused).toMatchObject({ outcome: "exceeded", scope: "agent" });
    const end = new Date((refused as { endsAt: number }).endsAt);
    const shown = end.toLocaleString("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" });
    expect(shown).toBe("00:00");
    // Another agent has a budget of its own.
    expect(await reserve(1n, 10n, { agentId: "bob" })).toMatchObject({ outcome: "granted" });
  });

  it("reserves nothing where no budget applies, and refuses a model without a price", async () => {
    await addBudget({ scope: "conversation", subject: "another" });
    expect(await reserve(1n, 5n)).toMatchObject({ outcome: "none" });
    await addBudget({ scope: "conversation", subject: "talk" });
    const call = {
      id: test.core.newId(),
      place: place(),
      conversationSid: "talk",
      amounts: null,
    };
    expect(await test.core.reserveUsage(call)).toMatchObject({ outcome: "unpriced" });
    expect(await rowsOf(usageReservations)).toEqual([]);
  });

  it("announces a soft budget once in its period", async () => {
    const { sid } = await addBudget({ limit: 10n, isHard: false });
    const first = await reserve(1n, 30n);
    expect(first).toMatchObject({ outcome: "granted", amount: 30n, reached: [] });
    await settle(first, 30n);
    const reached = [{ budgetId: sid, scope: "workspace" }];
    expect(await reserve(1n, 30n)).toMatchObject({ outcome: "granted", reached });
    expect(await reserve(1n, 30n)).toMatchObject({ outcome: "granted", reached: [] });
  });

  it("counts lost calls in full, as estimates, and each once", async () => {
    const { id } = await addBudget();
    const lost = await reserve(10n, 60n);
    await settleLostUsage(test.core);
    expect(await rowsOf(usageReservations)).toHaveLength(1);
    const later = { ...test.core, now: () => now() + 31_000 };
    await settleLostUsage(later);
    expect(await rowsOf(usageReservations)).toEqual([]);
    // The answer came after all: it is not counted twice.
    await settle(lost, 5n);
    expect(await rowsOf(usageEntries)).toMatchObject([
      { amount: 60n, isEstimated: true, inputTokens: null },
    ]);
    expect(await reserve(40n, 50n)).toMatchObject({ outcome: "granted", amount: 40n });
    const { db } = test.core.database;
    const spending = db.select().from(budgetSpending).where(eq(budgetSpending.budgetId, id));
    expect(await spending).toMatchObject([{ spent: 60n, reserved: 40n }]);
    expect(await db.$count(budgetHolds, eq(budgetHolds.budgetId, id))).toBe(1);
  });

  it("never grants more than is left to many at once", async () => {
    await addBudget({ limit: 1000n });
    const asked = await Promise.all(Array.from({ length: 200 }, async () => reserve(7n, 30n)));
    const granted = asked.flatMap((one) => (one.outcome === "granted" ? [one.amount!] : []));
    expect(granted.reduce((sum, one) => sum + one, 0n)).toBe(1000n);
  });
});
