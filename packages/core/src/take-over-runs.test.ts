import { events, invocations, logs, runs } from "@parley/db";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../testing/core-test.ts";
import { claimRuns } from "../testing/runs.ts";
import { expireTestLeases, insertTestFunction, readTestLog } from "../testing/testing.ts";
import { finishInvocations } from "./invocations/finish-invocations.ts";
import { invokeSandboxFunction } from "./invocations/invoke.ts";
import { loadInvocation } from "./invocations/load-invocation.ts";
import { dropOrphan } from "./runs/drop-orphan.ts";
import { renewLeases } from "./runs/leases.ts";
import { wakeSuspendedRuns } from "./runs/wake-runs.ts";
import { takeOverRuns } from "./take-over-runs.ts";

describe("taking invocations over", () => {
  const test = workspaceTest({ per: "suite" });
  beforeAll(async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "once" });
    await insertTestFunction(test.core, test.workspace, { slug: "again", retryable: true });
  });

  const begin = async (functionId: string, leaseMs = -1) => {
    await invokeSandboxFunction(test.context, { functionId, input: null });
    const [run] = await claimRuns(test.core, { workerId: "dead", leaseMs, limit: 10 });
    return run!;
  };
  const takeOver = () => takeOverRuns(test.core, { workerId: "two", leaseMs: 60_000, limit: 0 });
  const stored = async () => (await test.core.database.db.select().from(runs))[0]!;
  /** Lets the time pass for which a run is suspended. */
  const wake = async () => {
    await test.core.database.db.update(runs).set({ runAfter: new Date(0) });
    expect(await wakeSuspendedRuns(test.core, 10)).toBe(1);
  };
  /** As the worker does that was held up past its lease, and finds out. */
  const survive = (logId: string) =>
    renewLeases(test.core, { workerId: "held up", leaseMs: 1000, logIds: [logId] });
  const claimAgain = async () =>
    (await claimRuns(test.core, { workerId: "two", leaseMs: -1, limit: 10 }))[0]!;

  it("gives those at once that are not run again, also to a worker without a free place", async () => {
    const run = await begin("once");
    expect(await takeOver()).toMatchObject([{ id: run.id, attempt: 2, exhausted: true }]);
  });

  it("deletes a run whose subject is gone, which is taken over no more", async () => {
    const run = await begin("once");
    const { db } = test.core.database;
    await db.delete(invocations);
    const [orphan] = await takeOver();
    expect(orphan).toMatchObject({ id: run.id, subject: null });
    // An attempt that lost its lease deletes nothing.
    await dropOrphan(test.core, run);
    expect(await db.$count(runs)).toBe(1);
    await dropOrphan(test.core, orphan!);
    for (const table of [runs, logs, events]) expect(await db.$count(table)).toBe(0);
  });

  it("waits twice as long before each further attempt, if its workers survived", async () => {
    const { logId } = await begin("again");
    for (const seconds of [1, 2, 4, 8]) {
      expect(await takeOver()).toEqual([]);
      const { status, runAfter, workerId } = await stored();
      expect({ status, workerId }).toEqual({ status: "suspended", workerId: null });
      const waits = (runAfter.getTime() - Date.now()) / 1000;
      expect(waits).toBeGreaterThan(seconds / 2 - 0.5);
      expect(waits).toBeLessThanOrEqual(seconds + 0.1);
      await survive(logId);
      await wake();
      expect((await claimAgain()).exhausted).toBe(false);
    }
    expect(await takeOver()).toMatchObject([{ attempt: 6, exhausted: true }]);
  });

  it("gives up what has taken two workers down", async () => {
    await begin("again");
    expect(await takeOver()).toEqual([]);
    await wake();
    expect(await claimAgain()).toMatchObject({ attempt: 2, exhausted: false });
    expect(await takeOver()).toMatchObject([{ attempt: 3, exhausted: true }]);
  });

  it("spreads what it suspends together", async () => {
    for (let count = 0; count < 8; count++) await begin("again", 60_000);
    await expireTestLeases(test.core);
    await takeOver();
    const rows = await test.core.database.db.select().from(runs);
    const times = rows.map(({ runAfter }) => runAfter.getTime()).toSorted((a, b) => a - b);
    expect(new Set(times).size).toBe(8);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
  });

  it("lets the attempt before end a suspended invocation, but not one that is run again", async () => {
    const run = await begin("again");
    await takeOver();
    await survive(run.logId);
    const loaded = await loadInvocation(test.core, run);
    const finished = {
      ...loaded,
      run,
      outcome: { status: "succeeded", result: 1 } as const,
      events: [],
    };
    await wake();
    const current = await claimAgain();
    expect(await finishInvocations(test.core, [finished])).toEqual(new Set());
    await takeOver();
    expect(await finishInvocations(test.core, [{ ...finished, run: current }])).toEqual(
      new Set([run.logId]),
    );
    expect((await readTestLog(test.core, run.logId)).map(({ type }) => type)).toEqual([
      "sandbox_function_invocation_created",
      "sandbox_function_invocation_result",
    ]);
    expect(await stored()).toMatchObject({ status: "finished" });
    const [row] = await test.core.database.db.select().from(invocations);
    expect(row).toMatchObject({ status: "succeeded", result: "1" });
  });
});
