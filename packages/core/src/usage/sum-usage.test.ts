import {
  budgetHolds,
  budgetSpending,
  statement,
  type UsageOrigin,
  usageEntries,
  usageSums,
} from "@parley/db";
import { eq, type SQL, sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createTestConversation } from "../../testing/testing.ts";
import { insertTestBudget, testCall, writeTestUsage } from "../../testing/usage.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { HOURS_KEPT_DAYS, sumUsage, sweepUsage } from "./sum-usage.ts";
import { writeUsage } from "./usage-ledger.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2029, 11, 30);

const count = fc.option(fc.nat(5000), { freq: 5 });
const call = fc.record({
  at: fc.integer({ min: START, max: START + 2 * DAY_MS }),
  origin: fc.constantFrom<UsageOrigin[]>("answer", "title"),
  apiKeyId: fc.constantFrom(null, 1, 2),
  userId: fc.constantFrom(null, 3),
  agentId: fc.constantFrom("ann", "Bob"),
  modelId: fc.constantFrom("gpt-5", "GPT-5", "gpt-4.1"),
  currency: fc.constantFrom("USD", "EUR"),
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: fc.nat(10),
  cacheWriteTokens: fc.nat(10),
  reasoningTokens: fc.nat(10),
  // More than a number of JavaScript holds.
  amount: fc.option(fc.bigInt(0n, 2n ** 55n), { freq: 5 }),
  isEstimated: fc.boolean(),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ write: fc.array(call, { minLength: 1, maxLength: 12 }) }) },
  { weight: 2, arbitrary: fc.constant("sum" as const) },
  { weight: 1, arbitrary: fc.constant("delete a conversation" as const) },
  { weight: 3, arbitrary: fc.constant("compare" as const) },
);

describe("sums of usage", () => {
  const test = workspaceTest({ agents: ["ann"] });

  const readRows = (query: SQL) =>
    statement<Record<string, never>, unknown>("compare_usage", query).execute(
      test.core.database.db,
      {},
    );
  const dimensions = sql`origin, api_key_id, user_id, agent_id, provider_id, model_id, currency`;
  /** What the sums and what is not summed yet differ from the ledger in, in one snapshot. */
  const readDifferences = () => {
    return readRows(sql`
      with entry as (
        select period, at - at % length as starts_at, origin, coalesce(api_key_id, 0) as api_key_id,
          coalesce(user_id, 0) as user_id, agent_id, provider_id, model_id, currency, is_summed,
          (amount is null)::int as unpriced, coalesce(input_tokens, 0) as input, coalesce(output_tokens, 0) as output,
          coalesce(cached_input_tokens, 0) as cached, coalesce(cache_write_tokens, 0) as written,
          coalesce(reasoning_tokens, 0) as reasoning, coalesce(amount, 0) as amount,
          case when is_estimated then coalesce(amount, 0) else 0 end as estimated
        from usage_entries, (values ('hour', ${HOUR_MS}::bigint), ('day', ${DAY_MS}::bigint)) p(period, length)
        where workspace_id = ${test.workspace.id}
      ),
      ledger as (
        select period, starts_at, ${dimensions}, count(*) as calls, sum(unpriced) as unpriced, sum(input) as input,
          sum(output) as output, sum(cached) as cached, sum(written) as written, sum(reasoning) as reasoning,
          sum(amount) as amount, sum(estimated) as estimated
        from entry group by period, starts_at, ${dimensions}
      ),
      read as (
        select period, starts_at, ${dimensions}, sum(calls) as calls, sum(unpriced) as unpriced, sum(input) as input,
          sum(output) as output, sum(cached) as cached, sum(written) as written, sum(reasoning) as reasoning,
          sum(amount) as amount, sum(estimated) as estimated
        from (
          select period, starts_at, ${dimensions}, calls, unpriced_calls as unpriced, input_tokens as input,
            output_tokens as output, cached_input_tokens as cached, cache_write_tokens as written,
            reasoning_tokens as reasoning, amount, estimated_amount as estimated
          from usage_sums where workspace_id = ${test.workspace.id}
          union all
          select period, starts_at, ${dimensions}, 1, unpriced, input, output, cached, written, reasoning, amount,
            estimated
          from entry where not is_summed
        ) both_of group by period, starts_at, ${dimensions}
      )
      (select * from ledger except select * from read) union all (select * from read except select * from ledger)`);
  };
  const countRows = async (table: typeof usageEntries | typeof usageSums) =>
    test.core.database.db.$count(table, eq(table.workspaceId, test.workspace.id));

  it("are the ledger at every moment, whoever writes and sums", { timeout: 60_000 }, async () => {
    let entries = 0;
    const run = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
    ) => {
      const { db } = test.core.database;
      const found: unknown[] = [];
      await Promise.all(
        steps.map(async (one) => {
          if (one === "sum") await sumUsage(test.core);
          else if (one === "compare") found.push(...(await readDifferences()));
          else if (one === "delete a conversation") {
            const { conversation } = await createTestConversation(test.context, []);
            const conversationId = conversation.id;
            await writeUsage(db, [testCall(test.context, { conversationId })]);
            entries += 1;
            await deleteConversation(test.context, { cId: conversation.sId });
          } else {
            await writeUsage(
              db,
              one.write.map((changes) => testCall(test.context, changes)),
            );
            entries += one.write.length;
          }
        }),
      );
      expect([...found, ...(await readDifferences())]).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 24 }), run), { numRuns: 25 });
    while ((await sumUsage(test.core)).length > 0);
    expect(await readDifferences()).toEqual([]);
    expect(await countRows(usageEntries)).toBe(entries);
    await test.core.database.db.delete(usageEntries);
    const sums = await test.core.database.db
      .select({ calls: usageSums.calls, period: usageSums.period })
      .from(usageSums)
      .where(eq(usageSums.workspaceId, test.workspace.id));
    const callsBy = (period: string) =>
      sums.reduce((sum, row) => sum + (row.period === period ? row.calls : 0), 0);
    expect([callsBy("hour"), callsBy("day")]).toEqual([entries, entries]);
  });

  it("say once what was summed", async () => {
    const lost = { isEstimated: true, inputTokens: null, outputTokens: null, amount: 7n };
    await writeTestUsage(test.context, {}, { cachedInputTokens: 40 }, lost);
    const summed = await Promise.all([sumUsage(test.core), sumUsage(test.core)]);
    // Each entry is in one of them, however they have divided the entries.
    const parts = summed.flat();
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((all, part) => all + of(part), 0);
    expect(
      parts.map(({ providerId, modelId, origin, currency }) => {
        return { providerId, modelId, origin, currency };
      }),
    ).toEqual(
      parts.map(() => ({
        providerId: "openai",
        modelId: "gpt-5",
        origin: "answer",
        currency: "USD",
      })),
    );
    expect([
      sum(({ calls }) => calls),
      sum(({ estimatedCalls }) => estimatedCalls),
      sum(({ inputTokens }) => inputTokens),
      sum(({ outputTokens }) => outputTokens),
      sum(({ cachedInputTokens }) => cachedInputTokens),
      sum(({ cacheWriteTokens }) => cacheWriteTokens),
      sum(({ reasoningTokens }) => reasoningTokens),
      parts.reduce((all, { amount }) => all + (amount ?? 0n), 0n),
    ]).toEqual([3, 1, 200, 20, 40, 0, 0, 2_000_000_007n]);
  });

  it("stay by day when entries and hours are deleted, which is after they were summed", async () => {
    const { core, context, clock } = test;
    const sweep = () => sweepUsage(core, { retentionMs: 400 * DAY_MS });
    const oldAt = clock.now - 401 * DAY_MS;
    const monthOldAt = clock.now - (HOURS_KEPT_DAYS + 2) * DAY_MS;
    await writeTestUsage(context, { at: oldAt }, { at: monthOldAt }, {});
    expect(await sweep()).toBe(0);
    await sumUsage(core);
    expect(await countRows(usageSums)).toBe(6);
    expect(await sweep()).toBe(3);
    expect(await sweep()).toBe(0);
    expect(await countRows(usageEntries)).toBe(2);
    const kept = await core.database.db.select().from(usageSums).orderBy(usageSums.startsAt);
    const own = kept.filter(({ workspaceId }) => workspaceId === test.workspace.id);
    expect(own.map(({ period }) => period).toSorted()).toEqual(["day", "day", "day", "hour"]);
  });

  it("go without what was spent of budgets in periods long past", async () => {
    const { core, clock } = test;
    const { db } = core.database;
    const spending = (budgetId: number, endsAt: number | null) => ({
      budgetId,
      subject: "",
      startsAt: 0,
      endsAt,
      spent: 1n,
      reserved: 0n,
    });
    const longAgo = clock.now - (HOURS_KEPT_DAYS + 1) * DAY_MS;
    await db
      .insert(budgetSpending)
      .values([spending(101, longAgo), spending(102, clock.now), spending(103, null)]);
    const ofMinutes = { measure: "tool_calls", period: "minute" } as const;
    const { id: minutes } = await insertTestBudget(core, test.workspace.id, ofMinutes);
    await db.insert(budgetSpending).values(spending(minutes, clock.now - DAY_MS));
    const hold = { reservationId: "r", subject: "", startsAt: 0, amount: 1n, settled: 1n };
    await db.insert(budgetHolds).values([
      { ...hold, budgetId: 101 },
      { ...hold, budgetId: 102 },
    ]);
    expect(await sweepUsage(core, { retentionMs: DAY_MS })).toBeGreaterThan(0);
    const budgetsOf = async (table: typeof budgetSpending | typeof budgetHolds) =>
      (await db.select({ id: table.budgetId }).from(table))
        .map(({ id }) => id)
        .toSorted((a, b) => a - b);
    expect(await budgetsOf(budgetSpending)).toEqual([102, 103]);
    expect(await budgetsOf(budgetHolds)).toEqual([102]);
  });
});
