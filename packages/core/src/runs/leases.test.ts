import { runs } from "@parley/db";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { expireTestLeases } from "../../testing/leases.ts";
import { claimRuns } from "../../testing/runs.ts";
import { clearRuns, openTestLog } from "../../testing/testing.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { handBackRuns, handBackUnknownRuns, renewLeases } from "./leases.ts";

describe("leases", () => {
  const test = coreTest();
  beforeEach(() => clearRuns(test.core));

  const claim = (workerId: string, leaseMs = 60_000) =>
    claimRuns(test.core, { workerId, leaseMs, limit: 10 });
  const takeOver = (workerId: string) =>
    takeOverRuns(test.core, { workerId, leaseMs: 60_000, limit: 10 });
  const addRun = async (kind: "agent_turn" | "invocation" = "agent_turn", maxAttempts = 5) => {
    const logId = await openTestLog(test.core);
    await test.core.database.db.insert(runs).values({
      kind,
      workspaceId: 1,
      logId,
      subjectId: 1,
      functionId: kind === "invocation" ? 1 : null,
      status: "waiting",
      priority: 0,
      attempt: 0,
      maxAttempts,
      runAfter: new Date(0),
      createdAt: 0,
    });
  };

  it("renews a lease, also one that has just ended", async () => {
    await addRun();
    const [run] = await claim("one", -1);
    const options = { workerId: "one", leaseMs: 60_000, logIds: [run!.logId] };
    expect(await renewLeases(test.core, options)).toEqual(new Set([run!.logId]));
    expect(await takeOver("two")).toEqual([]);
  });

  it("renews no lease of another worker, and none of a run that was taken over", async () => {
    await addRun();
    const [run] = await claim("one", -1);
    await takeOver("two");
    const options = { workerId: "one", leaseMs: 60_000, logIds: [run!.logId, "unknown"] };
    expect(await renewLeases(test.core, options)).toEqual(new Set());
  });

  it("hands a run back so that another worker has it at once, as a new attempt", async () => {
    await addRun();
    const [run] = await claim("one");
    let woken = 0;
    const unsubscribe = test.core.bus.subscribe("runs", () => woken++);
    await handBackRuns(test.core, { workerId: "one", logIds: [run!.logId], begun: true });
    unsubscribe();
    expect(woken).toBe(1);
    expect(await claim("two")).toMatchObject([{ id: run!.id, attempt: 2, exhausted: false }]);
  });

  it("takes no attempt of a run that is handed back", async () => {
    await addRun("agent_turn", 1);
    for (let times = 0; times < 3; times++) {
      const [run] = await claim("one");
      expect(run?.exhausted).toBe(false);
      await handBackRuns(test.core, { workerId: "one", logIds: [run!.logId], begun: true });
    }
  });

  it.each([
    { name: "is not run again", maxAttempts: 1, exhausted: true },
    { name: "is run again if it may be", maxAttempts: 5, exhausted: false },
  ])("an invocation that is handed back $name", async ({ maxAttempts, exhausted }) => {
    await addRun("invocation", maxAttempts);
    const [run] = await claim("one");
    await handBackRuns(test.core, { workerId: "one", logIds: [run!.logId], begun: true });
    expect(await claim("two")).toMatchObject([{ attempt: 2, exhausted }]);
  });

  const handBack = (logId: string, begun: boolean) =>
    handBackRuns(test.core, { workerId: "one", logIds: [logId], begun });
  const renew = (logId: string) =>
    renewLeases(test.core, { workerId: "one", leaseMs: 60_000, logIds: [logId] });

  describe.each([
    ["was handed back before it began", (logId: string) => handBack(logId, false)],
    [
      "was claimed without the worker's knowledge",
      () => handBackUnknownRuns(test.core, { workerId: "one", leaseMs: 600_000, known: [] }),
    ],
  ])("an invocation that may run once and %s", (_before, giveBack) => {
    const begin = async () => {
      await addRun("invocation", 1);
      for (let times = 0; times < 2; times++) {
        const [unbegun] = await claim("one");
        expect(unbegun?.exhausted).toBe(false);
        await giveBack(unbegun!.logId);
      }
      const [begun] = await claim("one");
      expect(begun?.exhausted).toBe(false);
      return begun!.logId;
    };

    it("is not run again when its worker stops", async () => {
      const logId = await begin();
      await handBack(logId, true);
      expect(await claim("one")).toMatchObject([{ logId, exhausted: true }]);
      // Nor when that stops before it has ended it.
      await handBack(logId, true);
      expect(await claim("two")).toMatchObject([{ logId, exhausted: true }]);
    });

    it("is not run again when its worker dies, or was only delayed", async () => {
      const logId = await begin();
      await expireTestLeases(test.core);
      const options = { workerId: "two", leaseMs: 60_000, limit: 10 };
      expect(await takeOverRuns(test.core, options)).toMatchObject([{ logId, exhausted: true }]);
      await renew(logId);
      await handBackUnknownRuns(test.core, { workerId: "two", leaseMs: 600_000, known: [] });
      expect(await claim("three")).toMatchObject([{ logId, exhausted: true }]);
    });
  });

  it("hands back no run of another worker, and none that has finished", async () => {
    await addRun();
    const [run] = await claim("one");
    await handBackRuns(test.core, { workerId: "two", logIds: [run!.logId], begun: true });
    expect(await claim("two")).toEqual([]);
    await test.core.database.db.update(runs).set({ status: "finished" });
    await handBackRuns(test.core, { workerId: "one", logIds: [run!.logId], begun: true });
    expect(await claim("two")).toEqual([]);
  });
});
