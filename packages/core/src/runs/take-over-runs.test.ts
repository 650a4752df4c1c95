import { invocations, runs } from "@parley/db";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { invokeSandboxFunction } from "../invocations.ts";
import {
  clearRuns,
  drivers,
  expireTestLeases,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "../testing.ts";
import { claimRuns, wakeParkedRuns } from "./claim-runs.ts";
import { finishInvocations } from "./finish-invocations.ts";
import { loadInvocation } from "./load-invocation.ts";
import { takeOverRuns } from "./take-over-runs.ts";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`taking invocations over ${suite}`, () => {
    let test: TestCore;
    let context: Context;
    beforeAll(async () => {
      test = await openTestCore(driver);
      const workspace = await insertTestWorkspace(test.core);
      context = await openTestContext(test.core, workspace);
      await insertTestFunction(test.core, workspace, { slug: "once" });
      await insertTestFunction(test.core, workspace, { slug: "again", retryable: true });
    });
    beforeEach(() => clearRuns(test.core));
    afterAll(() => test.close());

    const begin = async (functionId: string, leaseMs = -1) => {
      await invokeSandboxFunction(context, { functionId, input: null });
      const [run] = await claimRuns(test.core, { workerId: "dead", leaseMs, limit: 10 });
      return run!;
    };
    const takeOver = () => takeOverRuns(test.core, { workerId: "two", leaseMs: 60_000, limit: 0 });
    const stored = async () => (await test.core.database.db.select().from(runs))[0]!;
    /** Lets the time pass for which a run is parked. */
    const wake = async () => {
      await test.core.database.db.update(runs).set({ runAfter: new Date(0) });
      expect(await wakeParkedRuns(test.core, 10)).toBe(1);
    };
    const claimAgain = async () =>
      (await claimRuns(test.core, { workerId: "two", leaseMs: -1, limit: 10 }))[0]!;

    it("gives those at once that are not run again, also to a worker without a free place", async () => {
      const run = await begin("once");
      expect(await takeOver()).toMatchObject([{ id: run.id, attempt: 2, exhausted: true }]);
    });

    it("waits twice as long before each further attempt, half a minute at the most", async () => {
      await begin("again");
      for (const seconds of [1, 2, 4, 8]) {
        expect(await takeOver()).toEqual([]);
        const { status, runAfter, workerId } = await stored();
        expect({ status, workerId }).toEqual({ status: "parked", workerId: null });
        const waits = (runAfter.getTime() - Date.now()) / 1000;
        expect(waits).toBeGreaterThan(seconds / 2 - 0.5);
        expect(waits).toBeLessThanOrEqual(seconds + 0.1);
        await wake();
        expect((await claimAgain()).exhausted).toBe(false);
      }
      expect(await takeOver()).toMatchObject([{ attempt: 6, exhausted: true }]);
    });

    it("spreads what it parks together", async () => {
      for (let count = 0; count < 8; count++) await begin("again", 60_000);
      await expireTestLeases(test.core);
      await takeOver();
      const rows = await test.core.database.db.select().from(runs);
      const times = rows.map(({ runAfter }) => runAfter.getTime()).toSorted((a, b) => a - b);
      expect(new Set(times).size).toBe(8);
      expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
    });

    it("lets the attempt before end a parked invocation, but not one that is run again", async () => {
      const run = await begin("again");
      await takeOver();
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
}
