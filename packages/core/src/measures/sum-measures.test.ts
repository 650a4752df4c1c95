import { measurePositions, measureSums } from "@parley/db";
import { endpoints, type Measures, parseInput } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { type EndedAnswer, insertEndedAnswer } from "../../testing/ended-answers.ts";
import { testCall } from "../../testing/usage.ts";
import { sumUsage } from "../usage/sum-usage.ts";
import { writeUsage } from "../usage/usage-ledger.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./merge-sums.ts";
import { getMeasures, getServerMeasures } from "./read-measures.ts";
import { sumMeasures } from "./sum-measures.ts";
import { sweepMeasures } from "./sweep-measures.ts";

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
  const setPosition = (values: Partial<typeof measurePositions.$inferInsert>) =>
    db().update(measurePositions).set(values).where(eq(measurePositions.name, "answers"));
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
  const end = (database: Pick<ReturnType<typeof db>, "insert">, given: EndedAnswer) =>
    insertEndedAnswer(test.context, database, given);

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
      const [one, ...more] = (await read({ dimension })).top;
      expect([one, more]).toMatchObject([{ answers: 1 }, []]);
      const answersOf = async (value: string) =>
        (await read({ dimension, value })).points.reduce((sum, { answers }) => sum + answers, 0);
      expect([await answersOf(one!.id!), await answersOf("unknown")]).toEqual([1, 0]);
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
      const [position] = await db()
        .select()
        .from(measurePositions)
        .where(eq(measurePositions.name, "answers"));
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
    await setPosition({ origin: "another" });
    expect(await sumMeasures(test.core)).toBe(false);
    await sumAll();
    expect((await read()).totals.answers).toBe(0);
  });

  it("are of hours and days too, in which a longer range is read", async () => {
    await end(db(), answer({ at: noon - 3 * HOUR_MS }));
    await setPosition({ scanFrom: 0 });
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

  it("of minutes are rolled up once, and what comes later is in the hour at once", async () => {
    await end(db(), answer());
    await sumAll();
    const ofDay = async () => {
      const { totals, points, top } = await read({
        from: noon - 23 * HOUR_MS,
        to: noon + HOUR_MS,
      });
      return { totals, points, top };
    };
    const hours = () => db().$count(measureSums, eq(measureSums.period, "hour"));
    const before = await ofDay();
    expect([before.totals.answers, await hours()]).toEqual([1, 0]);
    test.clock.now = noon + 10 * MINUTE_MS;
    await Promise.all([1, 2, 3].map(() => sumMeasures(test.core)));
    await sumAll();
    expect(await hours()).toBeGreaterThan(0);
    expect(await ofDay()).toEqual(before);
    // As of a transaction that was open all the time.
    await setPosition({ scanFrom: 0 });
    await end(db(), answer());
    await sumAll();
    const after = await ofDay();
    expect(after.totals).toMatchObject({ answers: 2, whole: { count: 2 } });
    expect(after.top).toMatchObject([{ id: "ann", answers: 2 }]);
    test.clock.now = noon + 20 * MINUTE_MS;
    await sumAll();
    expect(await ofDay()).toEqual(after);
  });

  it("of several days are rolled up one day after the other", async () => {
    const days = [0, 1, 2].map((day) => noon - day * DAY_MS);
    for (const at of days) await end(db(), answer({ at }));
    await db().update(measurePositions).set({ scanFrom: 0 });
    test.clock.now = noon + 10 * MINUTE_MS;
    const daysRolled = () =>
      db().$count(
        measureSums,
        and(eq(measureSums.period, "day"), eq(measureSums.dimension, "all")),
      );
    const month = async () =>
      (await read({ from: noon - 29 * DAY_MS, to: noon + HOUR_MS })).totals.answers;
    const rolled: number[] = [];
    for (let look = 0; look < 4; look++) {
      await sumAll();
      rolled.push((await daysRolled()) / 2);
      expect(await month()).toBe(3);
    }
    expect(rolled).toEqual([1, 2, 3, 3]);
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
    test.clock.now = noon + 10 * MINUTE_MS;
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
