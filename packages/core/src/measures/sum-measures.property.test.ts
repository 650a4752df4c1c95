import { measurePositions, measureSums, usageEntries } from "@parley/db";
import { endpoints, LATENCY_ERROR, type Measures, parseInput } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { type EndedAnswer, insertEndedAnswer } from "../../testing/ended-answers.ts";
import { testCall } from "../../testing/usage.ts";
import { sumUsage } from "../usage/sum-usage.ts";
import { writeUsage } from "../usage/usage-ledger.ts";
import { HOUR_MS, MINUTE_MS } from "./merge-sums.ts";
import { getMeasures } from "./read-measures.ts";
import { sumMeasures } from "./sum-measures.ts";

describe("sums of measures", () => {
  const test = workspaceTest({ agents: ["ann", "bob"] });
  const db = () => test.core.database.db;
  const noon = Date.UTC(2030, 0, 1, 12);

  beforeEach(async () => {
    test.clock.now = noon;
    await db().delete(measureSums);
    await db().delete(measurePositions);
    await sumMeasures(test.core);
  });

  const sumAll = async () => {
    while ((await sumUsage(test.core)).length > 0);
    expect(await sumMeasures(test.core)).toBe(true);
  };
  const read = (input: Record<string, unknown>): Promise<Measures> =>
    getMeasures(
      test.context,
      parseInput(endpoints["measures.get"], { wId: test.workspaceId, ...input }),
    );

  const outcome = fc.constantFrom<EndedAnswer["outcome"][]>("succeeded", "errored", "cancelled");
  const ended = fc.record({
    at: fc.integer({ min: noon - 59_000, max: noon }),
    wholeMs: fc.integer({ min: 1, max: 100_000 }),
    firstMs: fc.option(fc.integer({ min: 1, max: 50_000 })),
    outcome,
    tools: fc.array(
      fc.record({ isErrored: fc.boolean(), durationMs: fc.integer({ min: 1, max: 9000 }) }),
      { maxLength: 2 },
    ),
  });
  const call = fc.record({
    at: fc.integer({ min: noon - 58 * MINUTE_MS, max: noon }),
    agentId: fc.constantFrom("ann", "bob"),
    modelId: fc.constantFrom("gpt-5", "gpt-4.1"),
    currency: fc.constantFrom("USD", "EUR"),
    inputTokens: fc.nat(5000),
    outputTokens: fc.nat(5000),
    // More than a number of JavaScript holds.
    amount: fc.bigInt(1n, 2n ** 55n),
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ end: fc.array(ended, { minLength: 1, maxLength: 8 }) }) },
    { weight: 3, arbitrary: fc.record({ bill: fc.array(call, { minLength: 1, maxLength: 8 }) }) },
    { weight: 3, arbitrary: fc.constant("sum" as const) },
  );

  it("equal the rows that they count, whoever writes and sums", { timeout: 60_000 }, async () => {
    const answers: EndedAnswer[] = [];
    const run = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
    ) => {
      await Promise.all(
        steps.map(async (one) => {
          if (one === "sum") {
            await sumUsage(test.core);
            await sumMeasures(test.core);
          } else if ("end" in one) {
            answers.push(...one.end);
            await test.core.database.transaction(async (tx) => {
              for (const given of one.end) await insertEndedAnswer(test.context, tx, given);
            });
          } else {
            await writeUsage(
              db(),
              one.bill.map((given) => testCall(test.context, given)),
            );
          }
        }),
      );
      await sumAll();
      const { totals, points, top } = await read({ from: noon - HOUR_MS, to: noon + MINUTE_MS });
      const entries = await db()
        .select()
        .from(usageEntries)
        .where(eq(usageEntries.workspaceId, test.workspace.id));
      // As text: they are larger than a number of JavaScript holds.
      const spent = await db()
        .select({
          currency: usageEntries.currency,
          nano: sql<string>`sum(${usageEntries.amount})::text`,
        })
        .from(usageEntries)
        .where(eq(usageEntries.workspaceId, test.workspace.id))
        .groupBy(usageEntries.currency)
        .orderBy(usageEntries.currency);
      const sumOf = (of: (e: (typeof entries)[number]) => number) =>
        entries.reduce((sum, e) => sum + of(e), 0);
      expect(totals).toMatchObject({
        answers: answers.length,
        errored: answers.filter((one) => one.outcome === "errored").length,
        cancelled: answers.filter((one) => one.outcome === "cancelled").length,
        toolCalls: answers.flatMap(({ tools }) => tools).length,
        toolCallsErrored: answers.flatMap(({ tools }) => tools).filter((x) => x.isErrored).length,
        modelCalls: entries.length,
        inputTokens: sumOf((e) => e.inputTokens ?? 0),
        outputTokens: sumOf((e) => e.outputTokens ?? 0),
      });
      const nanoOf = (amount: string) => {
        const [whole = "", rest = ""] = amount.split(".");
        return BigInt(whole + rest.padEnd(9, "0"));
      };
      expect(totals.amounts.map(({ currency, amount }) => [currency, nanoOf(amount)])).toEqual(
        spent.map(({ currency, nano }) => [currency, BigInt(nano)]),
      );
      const sumOfPoints = (name: "answers" | "modelCalls" | "inputTokens") =>
        points.reduce((sum, point) => sum + point[name], 0);
      expect(sumOfPoints("answers")).toBe(totals.answers);
      expect(sumOfPoints("inputTokens")).toBe(totals.inputTokens);
      expect(top.reduce((sum, row) => sum + row.modelCalls, 0)).toBe(totals.modelCalls);
      expectLatency(
        totals.whole,
        answers.flatMap((one) => (one.outcome === "succeeded" ? one.wholeMs : [])),
      );
      expectLatency(
        totals.firstToken,
        answers.flatMap(({ firstMs }) => firstMs ?? []),
      );
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 10 }), run), {
      numRuns: 15,
      endOnFailure: true,
    });
  });

  const expectLatency = (found: Measures["totals"]["whole"], values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    expect(found?.count ?? 0).toBe(sorted.length);
    if (found === null) return;
    for (const [name, share] of [
      ["p50", 0.5],
      ["p95", 0.95],
      ["p99", 0.99],
    ] as const) {
      const exact = sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1]!;
      expect(Math.abs(found[name] - exact)).toBeLessThanOrEqual(LATENCY_ERROR * exact);
    }
  };
});
