import {
  actions,
  agents,
  measurePositions,
  measureSums,
  messages,
  runs,
  usageEntries,
} from "@parley/db";
import { endpoints, LATENCY_ERROR, type Measures, parseInput, percentile } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { testCall } from "../../testing/usage.ts";
import { sumUsage } from "../usage/sum-usage.ts";
import { writeUsage } from "../usage/usage-ledger.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./merge-sums.ts";
import { getMeasures, getServerMeasures } from "./read-measures.ts";
import { sumMeasures } from "./sum-measures.ts";
import { sweepMeasures } from "./sweep-measures.ts";

interface EndedAnswer {
  readonly at: number;
  readonly wholeMs: number;
  readonly firstMs: number | null;
  readonly outcome: "succeeded" | "errored" | "cancelled";
  readonly tools: readonly { readonly isErrored: boolean; readonly durationMs: number }[];
}

describe("sums of measures", () => {
  const test = workspaceTest({ agents: ["ann", "bob"] });
  const db = () => test.core.database.db;
  const noon = Date.UTC(2030, 0, 1, 12);
  let numbers = 0;
  let agentId: number;

  beforeEach(async () => {
    test.clock.now = noon;
    await db().delete(measureSums);
    await db().delete(measurePositions);
    await sumMeasures(test.core);
    const [ann] = await db()
      .select({ id: agents.id })
      .from(agents)
      .where(and(eq(agents.workspaceId, test.workspace.id), eq(agents.sid, "ann")));
    agentId = ann!.id;
  });

  const sumAll = async () => {
    while ((await sumUsage(test.core)).length > 0);
    expect(await sumMeasures(test.core)).toBe(true);
  };
  const read = (input: Record<string, unknown> = {}): Promise<Measures> =>
    getMeasures(
      test.context,
      parseInput(endpoints["measures.get"], { wId: test.workspaceId, ...input }),
    );
  const answer = (changes: Partial<EndedAnswer> = {}): EndedAnswer => ({
    at: noon - 30_000,
    wholeMs: 1000,
    firstMs: 100,
    outcome: "succeeded",
    tools: [],
    ...changes,
  });
  /** Writes the rows that an ended answer leaves. */
  const end = async (database: Pick<ReturnType<typeof db>, "insert">, given: EndedAnswer) => {
    const number = 900_000_000 + numbers++;
    const logId = `${test.workspaceId}-${number}`;
    const createdAt = given.at - given.wholeMs;
    const { id: workspaceId } = test.workspace;
    const step = { step: 1, durationMs: 1, inputTokens: 1, outputTokens: 1, startedAt: createdAt };
    await database.insert(messages).values({
      sid: logId,
      id: number,
      workspaceId,
      conversationId: 1,
      rank: number,
      version: 0,
      type: "agent_message",
      visibility: "visible",
      createdAt,
      content: "",
      agentId,
      steps: given.firstMs === null ? [step] : [{ ...step, firstTokenMs: given.firstMs }],
    });
    const calls = given.tools.map(({ isErrored, durationMs }, position) => ({
      sid: `act_${number}_${position}`,
      messageId: number,
      step: 1,
      position,
      toolName: "search",
      functionCallName: "search",
      functionCallId: "x",
      status: isErrored ? "errored" : "succeeded",
      params: {},
      executionDurationMs: durationMs,
      createdAt,
      updatedAt: createdAt,
    }));
    if (calls.length > 0) await database.insert(actions).values(calls);
    await database.insert(runs).values({
      logId,
      kind: "agent_turn",
      workspaceId,
      subjectId: number,
      status: "finished",
      priority: 0,
      attempt: 1,
      maxAttempts: 1,
      runAfter: new Date(createdAt),
      createdAt,
      finishedAt: given.at,
      outcome: given.outcome,
      apiKeyId: test.context.caller.apiKey.id,
      userId: test.context.caller.user.id,
    });
    return logId;
  };

  it("begin with the first look, and count what ends after it", async () => {
    await end(db(), answer({ tools: [{ isErrored: true, durationMs: 40 }] }));
    expect((await read()).totals.answers).toBe(0);
    await sumAll();
    await sumAll();
    const { totals, points, top, writtenUntil } = await read();
    expect(totals).toMatchObject({ answers: 1, errored: 0, toolCalls: 1, toolCallsErrored: 1 });
    expect(points).toHaveLength(60);
    expect(points.find(({ answers }) => answers > 0)).toMatchObject({
      startsAt: noon - MINUTE_MS,
      answers: 1,
    });
    expect(top).toMatchObject([{ id: "ann", name: expect.any(String), answers: 1 }]);
    expect(writtenUntil).toBeLessThanOrEqual(noon);
    expect((await read({ dimension: "tool" })).top).toMatchObject([{ id: "search", toolCalls: 1 }]);
    for (const dimension of ["key", "user"]) {
      expect((await read({ dimension })).top).toMatchObject([{ answers: 1 }]);
    }
    const ofServer = await getServerMeasures(
      test.operator.context,
      parseInput(endpoints["measures.getServer"], {}),
    );
    expect(ofServer.totals.answers).toBe(1);
    expect(ofServer.top).toMatchObject([{ id: test.workspaceId, answers: 1 }]);
  });

  it("count an answer whose transaction commits after later ones, whatever its time", async () => {
    const { transaction } = test.core.database;
    let commit = () => {};
    const held = new Promise<void>((resolve) => (commit = resolve));
    let written = () => {};
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const slow = transaction(async (tx) => {
      await end(tx, answer({ at: noon - 50_000 }));
      written();
      await held;
    });
    await Promise.race([isWritten, slow]);
    const writtenAt = performance.now();
    for (const second of [1, 2, 3]) {
      test.clock.now = noon + second * 1000;
      await end(db(), answer({ at: test.clock.now }));
      const openForMs = performance.now() - writtenAt;
      await sumAll();
      // The longer a transaction is open, the further back its rows may be.
      const [position] = await db().select().from(measurePositions);
      expect(position!.scanFrom).toBeLessThanOrEqual(test.clock.now - MINUTE_MS - openForMs);
    }
    expect((await read()).totals.answers).toBe(3);
    commit();
    await slow;
    await sumAll();
    expect((await read()).totals.answers).toBe(4);
    await sumAll();
    expect((await read()).totals.answers).toBe(4);
  });

  it("count once what a process had summed that was killed before its commit", async () => {
    await end(db(), answer());
    await writeUsage(db(), [testCall(test.context, { at: noon - MINUTE_MS })]);
    while ((await sumUsage(test.core)).length > 0);
    const killed = Object.assign(Object.create(test.core) as typeof test.core, {
      database: {
        ...test.core.database,
        slow: {
          ...test.core.database.slow,
          transaction: (work: (tx: never) => Promise<unknown>) =>
            test.core.database.transaction(async (tx) => {
              await work(tx as never);
              throw new Error("Killed");
            }),
        },
      },
    });
    await expect(sumMeasures(killed)).rejects.toThrow("Killed");
    expect((await read()).totals).toMatchObject({ answers: 0, modelCalls: 0 });
    await Promise.all([1, 2, 3].map(() => sumMeasures(test.core)));
    await sumAll();
    expect((await read()).totals).toMatchObject({ answers: 1, modelCalls: 1, inputTokens: 100 });
  });

  it("begin again in a copy of the database, which numbers transactions by itself", async () => {
    await end(db(), answer());
    await db().update(measurePositions).set({ origin: "another" });
    expect(await sumMeasures(test.core)).toBe(false);
    await sumAll();
    expect((await read()).totals.answers).toBe(0);
  });

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
              for (const given of one.end) await end(tx, given);
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

  it("are of hours and days too, in which a longer range is read", async () => {
    await end(db(), answer({ at: noon - 3 * HOUR_MS }));
    await db().update(measurePositions).set({ scanFrom: 0 });
    await end(db(), answer({ at: noon - 10 * DAY_MS }));
    await sumAll();
    const ofDay = await read({ from: noon - DAY_MS, to: noon });
    expect(ofDay).toMatchObject({ stepMs: HOUR_MS, totals: { answers: 1 } });
    expect(ofDay.points).toHaveLength(24);
    const ofMonth = await read({ from: noon - 30 * DAY_MS, to: noon });
    expect(ofMonth).toMatchObject({ stepMs: DAY_MS, totals: { answers: 2 } });
    const before = await read({ from: noon - 2 * HOUR_MS, to: noon });
    expect(before).toMatchObject({ totals: { answers: 0 }, before: { answers: 1 } });
  });

  it("keep the 200 largest of a dimension, and the others together", async () => {
    const calls = Array.from({ length: 450 }, (_, index) => {
      const agent = index < 5 ? "ann" : `agent-${index}`;
      return testCall(test.context, { at: noon - MINUTE_MS, agentId: agent });
    });
    await writeUsage(db(), calls);
    await sumAll();
    const { totals, top } = await read({ limit: 200 });
    expect(totals.modelCalls).toBe(450);
    expect(top).toHaveLength(201);
    expect(top[0]).toMatchObject({ id: "ann", modelCalls: 5 });
    expect(top.at(-1)).toMatchObject({ id: null, modelCalls: 450 - 5 - 199 });
    const stored = await db().$count(
      measureSums,
      and(
        eq(measureSums.workspaceId, test.workspace.id),
        eq(measureSums.period, "minute"),
        eq(measureSums.dimension, "agent"),
      ),
    );
    expect(stored).toBe(201);
    const ofAnn = await read({ value: "ann" });
    expect(ofAnn.totals.modelCalls).toBe(5);
    const ofNobody = await read({ dimension: "key", value: "key_nobody" });
    expect(ofNobody.totals.modelCalls).toBe(0);
  });

  it("go when they are too old: minutes after a week, the others after 400 days", async () => {
    await end(db(), answer());
    await sumAll();
    const periods = async () => {
      const rows = await db()
        .selectDistinct({ period: measureSums.period })
        .from(measureSums)
        .orderBy(measureSums.period);
      return rows.map(({ period }) => period);
    };
    test.clock.now = noon + 7 * DAY_MS;
    expect(await sweepMeasures(test.core)).toBeGreaterThan(0);
    expect(await sweepMeasures(test.core)).toBe(0);
    expect(await periods()).toEqual(["day", "hour"]);
    test.clock.now = noon + 401 * DAY_MS;
    while ((await sweepMeasures(test.core)) > 0);
    expect(await periods()).toEqual([]);
  });
});

describe("percentiles", () => {
  it("of nothing are unknown", () => {
    expect(percentile(new Map(), 0.5)).toBeNull();
  });
});
