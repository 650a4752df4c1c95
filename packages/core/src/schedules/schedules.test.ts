import { apiKeys, runs, scheduleFirings, schedules } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { answerTestTurns, insertTestFunction, readTestRuns } from "../../testing/testing.ts";
import { implementations } from "../implementations.ts";
import { launch } from "../launches/launch.ts";
import { LostLease } from "../runs/leases.ts";
import { wakeSuspendedRuns } from "../runs/wake-runs.ts";
import { beginFiring } from "./begin-firing.ts";
import { claimFirings, takeOverFirings } from "./claim-firings.ts";
import { settleFiring } from "./settle-firing.ts";
import { sweepFirings } from "./sweep-firings.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe("schedules", () => {
  const test = workspaceTest({ role: "builder", agents: ["ann"] });
  const db = () => test.core.database.db;
  beforeEach(() => db().delete(schedules));

  const given = {
    name: "Report",
    description: "",
    agent: { agentId: "ann", agentVersion: null, conversationId: null, message: "Report" },
    function: undefined,
    cron: "0 * * * *",
    everySeconds: null,
    timezone: "UTC",
    overlap: "allow",
    missed: "last",
    jitterSeconds: 0,
    isPaused: false,
    keyId: undefined,
  };
  const create = async (changes: object = {}) => {
    const input = { wId: test.workspaceId, ...given, ...changes } as never;
    const { schedule } = await implementations["schedules.create"](test.context, input);
    return schedule;
  };
  const update = async (named: { sId: string; version: number }, changes: object) => {
    const input = { wId: test.workspaceId, scheduleId: named.sId, version: named.version };
    const all = { ...input, ...changes } as never;
    return (await implementations["schedules.update"](test.context, all)).schedule;
  };
  const get = async ({ sId }: { sId: string }) => {
    const input = { wId: test.workspaceId, scheduleId: sId };
    return (await implementations["schedules.get"](test.context, input)).schedule;
  };
  const firings = async () =>
    db().select().from(scheduleFirings).orderBy(scheduleFirings.slot, scheduleFirings.id);

  /** Lets the planned slots come so many milliseconds ago, in steps of `stepMs`. */
  const pass = async (agoMs: number, stepMs = 1) => {
    await db().execute(sql`
      update schedule_firings
      set slot = floor((extract(epoch from clock_timestamp()) * 1000 - ${agoMs}::int) / ${stepMs}::int) * ${stepMs}::int
      where status = 'planned'`);
    await db()
      .update(runs)
      .set({ runAfter: new Date(0) })
      .where(eq(runs.kind, "firing"));
    await wakeSuspendedRuns(test.core, 100);
  };
  const claimed = { workerId: "one", leaseMs: 60_000, limit: 100, after: 0, perWorkspace: 100 };
  /** Does what a worker does with what is due, until nothing is. */
  const fire = async () => {
    for (;;) {
      const { runs: found } = await claimFirings(test.core, { ...claimed, held: new Map() });
      if (found.length === 0) return;
      for (const run of found) {
        const fired = { run, ...run.subject! };
        const begun = await beginFiring(test.core, fired);
        if (begun === "ended") continue;
        if (begun === "wait") {
          const end = {
            status: "waiting",
            reason: "It waits",
            againAfterMs: 5000,
            hasFailed: false,
          };
          await settleFiring(test.core, { ...fired, end: end as never });
          continue;
        }
        const launched = await launch(test.core, {
          apiKeyId: fired.schedule.apiKeyId,
          launch: fired.schedule.launch,
          author: { name: "Report", timezone: "UTC" },
          key: fired.firing.sid,
          origin: { requestId: "", traceparent: undefined, depth: 0 },
          signal: new AbortController().signal,
        });
        const end =
          launched === undefined
            ? { status: "failed" as const, reason: "gone", isKeyGone: true }
            : { status: "started" as const, launched };
        await settleFiring(test.core, { ...fired, end });
      }
    }
  };
  const statuses = async () => (await firings()).map(({ status }) => status);

  it("plans the next slot, fires it, and plans the one after it", async () => {
    const schedule = await create();
    const { nextSlot } = schedule;
    expect(new Date(nextSlot ?? 0).toISOString()).toMatch(/:00:00\.000Z$/);
    expect(nextSlot! - Date.now()).toBeLessThanOrEqual(HOUR_MS);
    await pass(0);
    await fire();
    expect(await statuses()).toEqual(["started", "planned"]);
    const { lastFiring, nextSlot: after } = await get(schedule);
    expect(lastFiring).toMatchObject({
      status: "started",
      conversationId: expect.any(String),
      reason: null,
    });
    expect(after).toBeGreaterThan(Date.now());
    const turns = (await readTestRuns(test.core)).filter(({ kind }) => kind === "agent_turn");
    expect(turns).toMatchObject([{ logId: lastFiring?.messageId }]);
  });

  it.each([
    ["skip", () => ["skipped"]],
    ["last", () => ["skipped", "started"]],
    ["all", (count: number) => Array.from({ length: count }, () => "started")],
  ])("does with what was missed as it says: %s", async (missed, expected) => {
    await create({ cron: "* * * * *", missed, jitterSeconds: 0 });
    await pass(3.5 * MINUTE_MS, MINUTE_MS);
    await fire();
    const ended = await firings();
    // What came within the last minute fires as it would have.
    const late = Date.now() - MINUTE_MS;
    const ofThePast = ended.filter(({ slot }) => slot < late);
    const count = Math.floor((late - ended[0]!.slot) / MINUTE_MS) + 1;
    expect(ofThePast.map(({ status }) => status)).toEqual(expected(count));
    expect(ended.at(-1)?.status).toBe("planned");
    expect(new Set(ended.map(({ slot }) => slot)).size).toBe(ended.length);
  });

  it("fires no more than the newest hundred slots of those that were missed", async () => {
    await create({ everySeconds: 60, cron: null, missed: "all" });
    await db().update(schedules).set({ anchor: 0 });
    await pass(5 * HOUR_MS, MINUTE_MS);
    await fire();
    const started = (await firings()).filter(({ status }) => status === "started");
    expect(started.length).toBeGreaterThanOrEqual(100);
    expect(started.length).toBeLessThanOrEqual(102);
  });

  it.each([
    ["skip", "skipped"],
    ["allow", "started"],
    ["wait", "waiting"],
  ])("while the firing before still runs: %s", async (overlap, expected) => {
    await create({ overlap, cron: "* * * * *" });
    await pass(MINUTE_MS / 2);
    await fire();
    await pass(0);
    await fire();
    expect((await statuses()).slice(0, 2)).toEqual(["started", expected]);
    if (overlap !== "wait") return;
    await answerTestTurns(test.core);
    await pass(0);
    await fire();
    expect((await statuses())[1]).toBe("started");
  });

  it("starts nothing again of what a worker has started before it ended", async () => {
    await create();
    await pass(0);
    const dead = { ...claimed, workerId: "dead", leaseMs: -1, held: new Map() };
    const { runs: found } = await claimFirings(test.core, dead);
    const fired = { run: found[0]!, ...found[0]!.subject! };
    await beginFiring(test.core, fired);
    const [taken] = await takeOverFirings(test.core, { workerId: "two", leaseMs: -1, limit: 1 });
    expect(taken?.subject?.firing.status).toBe("waiting");
    await expect(
      settleFiring(test.core, { ...fired, end: { status: "skipped", reason: "" } }),
    ).rejects.toThrow(LostLease);
    expect(await beginFiring(test.core, { run: taken!, ...taken!.subject! })).toBe("start");
    expect(await statuses()).toEqual(["waiting", "planned"]);
  });

  it("skips what has not started as it is paused, and plans again when it goes on", async () => {
    const schedule = await create();
    const paused = await update(schedule, { isPaused: true });
    expect(paused).toMatchObject({ pausedFor: "request", nextSlot: null });
    expect(await readTestRuns(test.core)).toEqual([]);
    const resumed = await update(paused, { isPaused: false });
    expect(resumed).toMatchObject({ pausedFor: null, nextSlot: schedule.nextSlot });
    const moved = await update(resumed, { cron: "30 * * * *" });
    expect(new Date(moved.nextSlot ?? 0).getUTCMinutes()).toBe(30);
    expect(await statuses()).toEqual(["planned"]);
    await expect(update(schedule, { name: "Other" })).rejects.toMatchObject({
      type: "version_conflict",
    });
  });

  it("is paused when its key is revoked", async () => {
    const schedule = await create();
    await db()
      .update(apiKeys)
      .set({ revokedAt: 1 })
      .where(eq(apiKeys.id, test.context.caller.apiKey.id));
    await pass(0);
    await fire();
    expect(await get(schedule)).toMatchObject({
      pausedFor: "key_revoked",
      nextSlot: null,
      failingSince: expect.any(Number),
      lastFiring: { status: "failed" },
    });
  });

  it("fires when it is asked to, also a paused one", async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "totals" });
    const invoked = { functionId: "totals", functionVersion: null, input: { day: 1 } };
    const schedule = await create({ agent: undefined, function: invoked, isPaused: true });
    const named = { wId: test.workspaceId, scheduleId: schedule.sId };
    const { firing } = await implementations["schedules.run"](test.context, named);
    expect(firing).toMatchObject({ status: "waiting", isManual: true });
    await fire();
    const page = { ...named, limit: 20, status: undefined, lastValue: undefined };
    expect(await implementations["schedules.listFirings"](test.context, page)).toMatchObject({
      firings: [{ sId: firing.sId, status: "started", invocationId: expect.any(String) }],
      hasMore: false,
    });
  });

  it("goes with what it has planned, and leaves what it has started", async () => {
    const schedule = await create();
    await pass(0);
    await fire();
    await implementations["schedules.remove"](test.context, {
      wId: test.workspaceId,
      scheduleId: schedule.sId,
      version: 0,
    });
    expect(await firings()).toEqual([]);
    expect(await readTestRuns(test.core)).toMatchObject([{ kind: "agent_turn" }]);
  });

  it("keeps the newest firings, and plans for a schedule that has lost its next", async () => {
    const schedule = await create();
    await pass(0);
    await fire();
    await db()
      .delete(scheduleFirings)
      .where(and(eq(scheduleFirings.status, "planned")));
    expect(await sweepFirings(test.core, { kept: 0 })).toBe(1);
    expect(await statuses()).toEqual(["planned"]);
    expect((await get(schedule)).nextSlot).toBeGreaterThan(Date.now());
  });

  it.each([
    [{ cron: null }, "exactly one of cron and everySeconds must be there"],
    [{ everySeconds: 60 }, "exactly one of cron and everySeconds must be there"],
    [{ cron: "0 0 30 2 *" }, "cron: day of month: never fires"],
    [{ cron: "61 * * * *" }, "cron: minute"],
    [{ agent: undefined }, "exactly one of agent and function must be there"],
  ])("refuses %j", async (changes, message) => {
    await expect(create(changes)).rejects.toThrow(message);
    expect(await firings()).toEqual([]);
  });
});
