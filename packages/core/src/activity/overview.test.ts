import { activityMinutes, loadSamples, runs } from "@parley/db";
import { endpoints, type Overview, type OverviewWindow, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { endTestInvocations, endTestTurns } from "../../testing/finished-runs.ts";
import { refusalOf } from "../../testing/operator.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { Core, CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { cancelInvocation } from "../invocations/cancel-invocation.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { countActivity } from "./count-activity.ts";
import { createLocalStreams } from "./local-streams.ts";
import { MINUTE_MS } from "./minutes.ts";
import { getOverview, getServerOverview } from "./overview.ts";
import { sampleLoad } from "./sample-load.ts";

const HOUR_MS = 60 * MINUTE_MS;
const noon = Date.UTC(2030, 0, 1, 12);

describe("the overview", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let context: CoreContext;
  beforeEach(async () => {
    await clearRuns(test.core);
    await db().delete(activityMinutes);
    await db().delete(loadSamples);
    test.core.localStreams.watch(() => new Map());
    test.clock.now = noon;
    ({ workspace, context } = await fill());
  });

  const db = () => test.core.database.db;
  const fill = async () => {
    const filled = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, filled, { sid: "ann" });
    await insertTestFunction(test.core, filled, { slug: "add" });
    return { workspace: filled, context: await openTestContext(test.core, filled) };
  };
  const read = (window: OverviewWindow = "hour", by = test.operator.context): Promise<Overview> =>
    getOverview(by, parseInput(endpoints["overview.get"], { wId: workspace.sid, window }));
  const readServer = (window: OverviewWindow = "hour") =>
    getServerOverview(test.operator.context, { window });
  const invoke = async (by = context) =>
    (await invokeSandboxFunction(by, { functionId: "add", input: null })).invocation.sId;
  /** The sums of the series that are not empty. */
  const sumsOf = ({ series }: Overview) => {
    const sums = Object.entries(series).map(
      ([name, values]) => [name, values.reduce((sum, value) => sum + value, 0)] as const,
    );
    return Object.fromEntries(sums.filter(([, sum]) => sum > 0));
  };
  /** Two turns, one of which fails, and three invocations, of which one fails and one is cancelled. */
  const work = async (by = context) => {
    await createTestConversation(by, ["ann"]);
    await endTestTurns(test.core);
    await createTestConversation(by, ["ann"]);
    await endTestTurns(test.core, { code: "x", message: "X", metadata: null });
    await cancelInvocation(by, { functionId: "add", invocationId: await invoke(by) });
    const failing = await invoke(by);
    await invoke(by);
    await endTestInvocations(test.core);
    await db().update(runs).set({ outcome: "errored" }).where(eq(runs.logId, failing));
  };
  const worked = {
    conversations: 2,
    turns: 2,
    turnsErrored: 1,
    invocations: 3,
    invocationsErrored: 1,
    inputTokens: 40,
    outputTokens: 6,
    cachedInputTokens: 12,
    cacheWriteTokens: 8,
    reasoningTokens: 4,
  };

  it.each([
    { window: "hour", count: 60, bucketMs: MINUTE_MS },
    { window: "day", count: 96, bucketMs: 15 * MINUTE_MS },
  ] as const)("has $count buckets of a $window, of which the last is now", async (expected) => {
    test.clock.now += 20_000;
    const { times, series, now, bucketMs } = await read(expected.window);
    expect({ count: times.length, bucketMs }).toMatchObject({
      count: expected.count,
      bucketMs: expected.bucketMs,
    });
    expect(times.at(-1)).toBe(noon);
    expect(times[0]).toBe(noon - (expected.count - 1) * bucketMs);
    for (const values of Object.values(series)) expect(values).toHaveLength(expected.count);
    expect(now).toEqual({
      at: test.clock.now,
      waitingRuns: 0,
      oldestWaitingMs: null,
      runningRuns: 0,
      openStreams: 0,
    });
  });

  it("counts what ended when it ended, of its workspace alone", async () => {
    const other = await fill();
    await work();
    test.clock.now += 10 * MINUTE_MS;
    await work();
    await work(other.context);
    const { series } = await read();
    expect(series.turns.at(-1)).toBe(2);
    expect(series.turns.at(-11)).toBe(2);
    expect(series.inputTokens.at(-11)).toBe(40);
    const twice = Object.fromEntries(
      Object.entries(worked).map(([name, value]) => [name, 2 * value]),
    );
    expect(sumsOf(await read())).toEqual(twice);
    const ofAll = Object.entries(worked).map(([name, value]) => [name, 3 * value]);
    expect(sumsOf(await readServer())).toEqual(Object.fromEntries(ofAll));
  });

  it("gives the same whether minutes were counted before, once or several times", async () => {
    const minutes = [0, 1, 2, 40, 41];
    let previous = 0;
    for (const minute of minutes) {
      test.clock.now += (minute - previous) * MINUTE_MS;
      previous = minute;
      await work();
    }
    test.clock.now += 16_000;
    const before = [await read(), await read("day"), await readServer(), await readServer("day")];
    expect(sumsOf(before[1]!)).toMatchObject({ turns: 10 });
    // Several processes at once; the minute of now is not over.
    await Promise.all([1, 2, 3].map(() => countActivity(test.core)));
    const rows = await db().select().from(activityMinutes);
    expect(rows.filter(({ workspaceId }) => workspaceId === 0)).toHaveLength(4);
    expect(rows.filter(({ workspaceId }) => workspaceId === workspace.id)).toHaveLength(4);
    const after = [await read(), await read("day"), await readServer(), await readServer("day")];
    expect(after).toEqual(before);
    test.clock.now += MINUTE_MS;
    await countActivity(test.core);
    expect(sumsOf(await read("day"))).toEqual(sumsOf(before[1]!));
    expect(await db().$count(activityMinutes)).toBe(10);
    // Counted minutes are not counted again where they are read.
    await db().delete(runs);
    expect(sumsOf(await read("day"))).toEqual(sumsOf(before[1]!));
  });

  it("leaves what a day has ended, and deletes what is older", async () => {
    await work();
    test.clock.now += 2 * MINUTE_MS;
    await countActivity(test.core);
    await sampleLoad(Object.assign(Object.create(test.core) as Core, { localStreams: open(1) }));
    test.clock.now += 23 * HOUR_MS;
    expect(sumsOf(await read("hour"))).toEqual({});
    expect(sumsOf(await read("day"))).toEqual({ ...worked, openStreams: 1 });
    test.clock.now += 3 * HOUR_MS;
    await countActivity(test.core);
    await sampleLoad(test.core);
    expect(await db().$count(activityMinutes)).toBe(0);
    expect(await db().$count(loadSamples)).toBe(0);
    expect(sumsOf(await read("day"))).toEqual({});
  });

  it("is not written while nothing happens", async () => {
    await countActivity(test.core);
    await sampleLoad(test.core);
    expect(await db().$count(activityMinutes)).toBe(0);
    expect(await db().$count(loadSamples)).toBe(0);
  });

  const open = (streams: number, sid = workspace.sid) => {
    const local = createLocalStreams(test.core.newId());
    local.watch(() => new Map([[sid, streams]]));
    return local;
  };

  it("plots what waited and was open, in all processes together", async () => {
    const other = await fill();
    await invoke();
    test.clock.now += 5000;
    await invoke();
    await createTestConversation(other.context, ["ann"]);
    const processes = [open(2), open(3), open(4, other.workspace.sid)];
    const sample = async () => {
      for (const localStreams of processes) {
        await sampleLoad(Object.assign(Object.create(test.core) as Core, { localStreams }));
      }
    };
    test.clock.now = noon + 30_000;
    await sample();
    // A second sample of the minute changes nothing.
    await sample();
    const { series } = await read();
    expect(sumsOf(await read())).toMatchObject({
      waitingRuns: 2,
      oldestWaitingMs: 30_000,
      openStreams: 5,
    });
    expect(series.openStreams.at(-1)).toBe(5);
    expect(sumsOf(await readServer())).toMatchObject({
      waitingRuns: 3,
      oldestWaitingMs: 30_000,
      openStreams: 9,
    });
    // In a bucket of several minutes, the most counts.
    test.clock.now += MINUTE_MS;
    await endTestInvocations(test.core);
    processes.splice(1);
    await sample();
    expect((await read("day")).series.openStreams.at(-1)).toBe(5);
    expect((await read("hour")).series.openStreams.slice(-2)).toEqual([5, 2]);
    expect((await read("hour")).series.waitingRuns.slice(-2)).toEqual([2, 0]);
  });

  it("says what waits, runs and is open now", async () => {
    const other = await fill();
    await invoke();
    test.clock.now += 1000;
    await claimRuns(test.core, { workerId: "w", leaseMs: 60_000, limit: 10 });
    await createTestConversation(context, ["ann"]);
    test.clock.now += 1500;
    await invoke();
    await invoke(other.context);
    const elsewhere = Object.assign(Object.create(test.core) as Core, { localStreams: open(3) });
    test.clock.now = noon + 30_000;
    await sampleLoad(elsewhere);
    await sampleLoad(test.core);
    const counts = new Map([
      [workspace.sid, 2],
      [other.workspace.sid, 1],
    ]);
    test.core.localStreams.watch(() => counts);
    test.clock.now = noon + 50_000;
    expect((await read()).now).toEqual({
      at: test.clock.now,
      waitingRuns: 2,
      oldestWaitingMs: 49_000,
      runningRuns: 1,
      openStreams: 5,
    });
    expect((await readServer()).now).toMatchObject({
      waitingRuns: 3,
      runningRuns: 1,
      openStreams: 6,
    });
    // The other process has stopped, or has no streams any more.
    test.clock.now += MINUTE_MS;
    expect((await read()).now).toMatchObject({ openStreams: 2 });
  });

  it("goes with its workspace", async () => {
    await work();
    test.clock.now += 2 * MINUTE_MS;
    await countActivity(test.core);
    await sampleLoad(Object.assign(Object.create(test.core) as Core, { localStreams: open(1) }));
    const ofWorkspace = async () => [
      await db().$count(activityMinutes, eq(activityMinutes.workspaceId, workspace.id)),
      await db().$count(loadSamples, eq(loadSamples.workspaceId, workspace.id)),
    ];
    expect(await ofWorkspace()).toEqual([1, 1]);
    await test.operator.deleteWorkspace({ wId: workspace.sid });
    expect(await ofWorkspace()).toEqual([0, 0]);
    expect(await refusalOf(read())).toBe("404 workspace_not_found");
  });
});
