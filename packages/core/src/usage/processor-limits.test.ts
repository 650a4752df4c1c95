import { budgets, budgetSpending, invocations, runs } from "@parley/db";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import { insertTestFunction, insertTestLimit, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { type ClaimedInvocation, loadInvocation } from "../invocations/load-invocation.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";

const DAY_MS = 86_400_000;

describe("limits of processor time", () => {
  const test = workspaceTest({ per: "test" });
  beforeEach(async () => {
    await db().delete(budgets);
    await db().delete(budgetSpending);
    await insertTestFunction(test.core, test.workspace, { slug: "code", code: "export default 1" });
    await insertTestFunction(test.core, test.workspace, { slug: "script" });
  });
  const db = () => test.core.database.db;
  const allow = async (seconds: number, given: Partial<typeof budgets.$inferInsert> = {}) => {
    const of = { measure: "processor_seconds", period: "day", limit: BigInt(seconds) } as const;
    await insertTestLimit(test.core, test.workspace.id, { ...of, ...given });
  };
  const invoke = async (functionId = "code", by: CoreContext = test.context) =>
    invokeSandboxFunction(by, { functionId, input: null });
  const claim = async (limit = 100) => {
    const options = { workerId: "test", leaseMs: 60_000, limit };
    // All of them are invocations.
    return (await claimRuns(test.core, options)) as ClaimedRun<ClaimedInvocation>[];
  };
  const finish = async (run: ClaimedRun, cpuMs: number) => {
    const loaded = await loadInvocation(test.core, run);
    const outcome = { status: "succeeded" as const, result: null };
    return finishInvocations(test.core, [{ ...loaded, run, outcome, cpuMs, events: [] }]);
  };
  const use = async (cpuMs: number, by = test.context) => {
    await invoke("code", by);
    const [run] = await claim();
    await finish(run!, cpuMs);
    // A process knows for a second whether there are limits.
    return run!;
  };
  const spent = async () => {
    const rows = await db().select().from(budgetSpending).orderBy(budgetSpending.startsAt);
    return rows.map((row) => row.spent);
  };

  it("refuse what would begin once they are used up, until the next day, and write nothing", async () => {
    await allow(2);
    await use(1200);
    const run = await use(799);
    await use(1);
    expect(await spent()).toEqual([2000n]);
    // An unacknowledged end counts once.
    await finish(run, 799);
    expect(await spent()).toEqual([2000n]);
    const before = await db().$count(invocations);
    await expect(invoke()).rejects.toMatchObject({
      type: "budget_exceeded",
      message:
        "The limit of processor time of the workspace is used up; its period ends at 2030-01-02T00:00:00.000Z",
      retryAfterSeconds: DAY_MS / 1000,
    });
    expect(await db().$count(invocations)).toBe(before);
    // It needs no processor.
    await invoke("script");
    test.clock.now += DAY_MS;
    await use(500);
    expect(await spent()).toEqual([2000n, 500n]);
    test.clock.now -= DAY_MS;
  });

  it("hold for what waits and for what a worker would hold from its creation", async () => {
    await allow(1);
    const held: unknown[] = [];
    const unregister = test.core.localWorkers.register({
      takePlaces: () => ({ workerId: "held", leaseMs: 60_000, perWorkspace: 100 }),
      start: (_runs, written) => void held.push(...written),
      giveUp: () => {},
    });
    try {
      await Promise.all([invoke(), invoke(), invoke("script")]);
    } finally {
      unregister();
    }
    expect(held).toEqual([]);
    const [first] = await claim(1);
    await finish(first!, 1000);
    const waiting = await claim();
    const spentLimit = { scope: "workspace", endsAt: test.clock.now + DAY_MS };
    // The worker, which knows the program, asks whether it needs a processor.
    expect(waiting.map(({ subject }) => subject?.spentLimit)).toEqual([spentLimit, spentLimit]);
    expect(await db().$count(runs)).toBe(3);
  });

  it.each(["api_key", "user"] as const)("of each %s are its own", async (scope) => {
    await allow(1, { scope });
    await use(1000);
    await expect(invoke()).rejects.toMatchObject({ type: "budget_exceeded" });
    const other = await openTestContext(test.core, test.workspace);
    await use(10, other);
    expect(new Set(await spent())).toEqual(new Set([1000n, 10n]));
  });

  it("that are not there, soft or of another workspace count nothing", async () => {
    await allow(0, { isHard: false });
    await allow(0, { workspaceId: 1_000_000_000 });
    await use(1000);
    await use(1000);
    expect(await spent()).toEqual([2000n]);
    await db().delete(budgets);
    await use(1000);
    expect(await spent()).toEqual([2000n]);
  });
});
