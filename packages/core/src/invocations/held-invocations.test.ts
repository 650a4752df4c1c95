import { sandboxFunctionVersions } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns, readTestRuns } from "../../testing/runs.ts";
import { insertTestFunction } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { handBackRuns } from "../runs/leases.ts";
import { invokeSandboxFunction } from "./invoke.ts";

const leaseMs = 60_000;

describe("invocations that a worker of this process holds", () => {
  const test = workspaceTest({ per: "suite" });
  let perWorkspace = 100;
  let unregister = (): void => {};
  const held: ClaimedRun[] = [];
  beforeAll(async () => {
    for (const [slug, maxConcurrent] of Object.entries({ one: 1, two: 2, many: 100 })) {
      const { id } = await insertTestFunction(test.core, test.workspace, { slug });
      await test.core.database.db
        .update(sandboxFunctionVersions)
        .set({ maxConcurrent })
        .where(eq(sandboxFunctionVersions.functionId, id));
    }
    unregister = test.core.localWorkers.register({
      takePlaces: () => ({ workerId: "held", leaseMs, perWorkspace }),
      start: (_runs, written) => void held.push(...written),
      giveUp: () => {},
    });
  });
  beforeEach(() => {
    perWorkspace = 100;
    held.length = 0;
  });
  afterAll(() => {
    unregister();
  });

  const invoke = async (functionId: string): Promise<void> => {
    const patient = Object.assign(Object.create(test.context) as CoreContext, {
      preferredWaitMs: 0,
    });
    const wId = test.workspaceId;
    const endpoint = endpoints["sandboxFunctions.invoke"];
    await invokeSandboxFunction(patient, parseInput(endpoint, { wId, functionId, input: [1] }));
  };
  const statuses = async () => (await readTestRuns(test.core)).map(({ status }) => status);
  const claim = (limit = 10) => claimRuns(test.core, { workerId: "other", leaseMs, limit });

  it("begin with what a claim would have given them", async () => {
    await invoke("one");
    const logIds = held.map(({ logId }) => logId);
    // If the acknowledgement of its creation was lost, one that may run only once has not run.
    await handBackRuns(test.core, { workerId: "held", logIds, begun: false });
    const [claimed] = await claim();
    expect(held).toEqual([{ ...claimed!, attempt: 1 }]);
    expect(held).toMatchObject([{ lastSeq: 1, subject: { input: "[1]", status: "created" } }]);
  });

  it("are no more than their function may have on all workers", async () => {
    await invoke("two");
    await invoke("two");
    await invoke("two");
    expect(await statuses()).toEqual(["running", "running", "waiting"]);
    expect(held).toHaveLength(2);
    expect(await claim()).toEqual([]);
  });

  it("are no more than their workspace may have on all workers", async () => {
    perWorkspace = 2;
    await invoke("many");
    await invoke("one");
    await invoke("many");
    expect(await statuses()).toEqual(["running", "running", "waiting"]);
  });

  it("do not overtake one that waits", async () => {
    await invoke("one");
    await invoke("one");
    await invoke("many");
    expect(await statuses()).toEqual(["running", "waiting", "waiting"]);
    expect(await claim()).toHaveLength(1);
  });

  it("are left to a claim while another one has its turn", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const other = test.core.database.transaction(async (db) => {
      await db.execute(sql`select * from lock_running_invocations(array[]::bigint[])`);
      lock();
      await ended;
    });
    await locked;
    await invoke("many");
    expect(await statuses()).toEqual(["waiting"]);
    end();
    await other;
    expect(await claim()).toHaveLength(1);
  });

  it("keep their limits when many come at once, with claims between them", async () => {
    const asked = Array.from({ length: 30 }, async (_, index) => {
      await invoke(["one", "two"][index % 2]!);
      if (index % 5 === 0) await claim(3);
    });
    await Promise.all(asked);
    const running = (await readTestRuns(test.core)).filter(({ status }) => status === "running");
    const byFunction = Map.groupBy(running, ({ functionId }) => functionId);
    const counts = byFunction.values().map((runs) => runs.length);
    expect(new Set(counts)).toEqual(new Set([1, 2]));
  });
});
