import { logs, runs } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import { clearRuns, openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import type { RunRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import { readEvents } from "../log/read-log.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import type { ClaimedRun } from "./claim-parts.ts";

describe("claimRuns", () => {
  const test = coreTest();
  beforeEach(() => clearRuns(test.core));

  const db = () => test.core.database.db;
  const addRun = async (run: Partial<RunRow> = {}): Promise<number> => {
    const logId = await openTestLog(test.core);
    const [row] = await db()
      .insert(runs)
      .values({
        kind: "agent_turn",
        workspaceId: 1,
        logId,
        subjectId: 1,
        status: "waiting",
        priority: 0,
        attempt: 0,
        maxAttempts: 5,
        runAfter: new Date(0),
        createdAt: 0,
        ...run,
      })
      .returning({ id: runs.id });
    return row!.id;
  };
  const claim = (workerId = "one", limit = 100) =>
    claimRuns(test.core, { workerId, leaseMs: 60_000, limit });
  /** A lease that is over when it begins. */
  const claimExpired = (workerId = "one") =>
    claimRuns(test.core, { workerId, leaseMs: -1, limit: 100 });
  const takeOver = (workerId = "two", leaseMs = 60_000) =>
    takeOverRuns(test.core, { workerId, leaseMs, limit: 100 });
  const idsOf = (claimed: readonly ClaimedRun[]) => claimed.map((run) => run.id);
  const finish = (id: number) =>
    db().update(runs).set({ status: "finished" }).where(eq(runs.id, id));
  const rowOf = async (id: number) => (await db().select().from(runs).where(eq(runs.id, id)))[0];
  const closeLogOf = async (id: number) => {
    const { logId } = (await rowOf(id))!;
    await db().update(logs).set({ closedAt: new Date(), fence: 99 }).where(eq(logs.id, logId));
  };

  it("gives each run to one worker only, however many claim at once", async () => {
    const added = [];
    for (let count = 0; count < 60; count++) added.push(await addRun());
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, worker) => claim(`${worker}`, 9)),
    );
    for (const claimed of claims) expect(claimed.length).toBeLessThanOrEqual(9);
    const rest = await claim();
    const ids = [...claims.flat(), ...rest].map((run) => run.id);
    expect(ids.toSorted((a, b) => a - b)).toEqual(added);
  });

  it("takes the most urgent first, then the oldest, and no more than the limit", async () => {
    const [late, first, urgent] = [
      await addRun({ priority: 1 }),
      await addRun(),
      await addRun({ priority: -1 }),
    ];
    expect(idsOf(await claim("one", 2))).toEqual([urgent, first]);
    expect(idsOf(await claim("one", 2))).toEqual([late]);
  });

  it("leaves a run until its time has come", async () => {
    await addRun({ runAfter: new Date(Date.now() + 60_000) });
    expect(await claim()).toEqual([]);
  });

  it("runs one after the other of one ordering key, and those of several beside each other", async () => {
    const [a1, a2, b1, free] = [
      await addRun({ orderingKey: "a" }),
      await addRun({ orderingKey: "a", priority: -5 }),
      await addRun({ orderingKey: "b" }),
      await addRun(),
    ];
    expect(idsOf(await claim())).toEqual([a1, b1, free]);
    expect(await claim()).toEqual([]);
    await finish(a1);
    expect(idsOf(await claim())).toEqual([a2]);
  });

  it("keeps the order of a key when its first run is taken over", async () => {
    const [first] = [await addRun({ orderingKey: "a" }), await addRun({ orderingKey: "a" })];
    await claimExpired();
    expect(await claim()).toEqual([]);
    expect(idsOf(await takeOver())).toEqual([first]);
    expect(await claim()).toEqual([]);
  });

  it("sets the log's fence to the attempt", async () => {
    const id = await addRun();
    const [run] = await claim();
    expect(run).toMatchObject({ id, kind: "agent_turn", attempt: 1, exhausted: false });
    const [log] = await db().select().from(logs).where(eq(logs.id, run!.logId));
    expect(log?.fence).toBe(1);
  });

  it("takes over an expired lease once, with a higher attempt", async () => {
    const id = await addRun();
    await claimExpired();
    const taken = await Promise.all(["two", "three", "four"].map((name) => takeOver(name)));
    expect(taken.flat()).toMatchObject([{ id, attempt: 2 }]);
    expect(await takeOver()).toEqual([]);
  });

  it("leaves a lease that has not ended", async () => {
    await addRun();
    await claim();
    expect(await takeOver()).toEqual([]);
    expect(await claim()).toEqual([]);
  });

  it("lets an attempt that was taken over append nothing", async () => {
    await addRun();
    const [old] = await claimExpired();
    const [current] = await takeOver();
    const append = (run: ClaimedRun, text: string) => {
      const guard = { logId: run.logId, fence: run.attempt };
      return appendEvents(db(), [{ logId: run.logId, events: [testToken(text)], guard }], []);
    };
    expect((await append(old!, "stale")).size).toBe(0);
    expect((await append(current!, "good")).size).toBe(1);
    const events = await readEvents(db(), current!.logId, 0);
    expect(events.map((event) => JSON.parse(event.payload))).toMatchObject([{ text: "good" }]);
  });

  it.each([
    { maxAttempts: 1, exhausted: [false, true, true] },
    { maxAttempts: 2, exhausted: [false, false, true] },
  ])(
    "says when all $maxAttempts attempts were taken before",
    async ({ maxAttempts, exhausted }) => {
      await addRun({ maxAttempts });
      const claimed = [...(await claimExpired()), ...(await takeOver("two", -1))];
      claimed.push(...(await takeOver("three")));
      expect(claimed.map((run) => run.exhausted)).toEqual(exhausted);
    },
  );

  it("does not claim a run whose log is closed, and holds up no ordering key for it", async () => {
    const [closed, next] = [await addRun({ orderingKey: "a" }), await addRun({ orderingKey: "a" })];
    await closeLogOf(closed);
    const claimed = [...(await claim()), ...(await claim())];
    expect(idsOf(claimed)).toEqual([next]);
    expect(await rowOf(closed)).toMatchObject({ status: "finished" });
  });

  it("does not take over a run whose log was closed in the meantime", async () => {
    const id = await addRun();
    await claimExpired();
    await closeLogOf(id);
    expect(await takeOver("two", -1)).toEqual([]);
    expect(await takeOver("two", -1)).toEqual([]);
    const [log] = await db().select().from(logs);
    expect(log?.fence).toBe(99);
  });

  it("closes what a finished run writes to", async () => {
    await addRun();
    const [run] = await claim();
    const guard = { logId: run!.logId, fence: 1 };
    await appendEvents(db(), [{ logId: run!.logId, events: [testEnd], guard }], []);
    await finish(run!.id);
    expect(await claim()).toEqual([]);
    expect(await takeOver()).toEqual([]);
  });
});
