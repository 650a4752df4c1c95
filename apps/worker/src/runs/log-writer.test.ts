import { type ClaimedRun, readEvents, takeOverRuns } from "@parley/core";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
  testToken,
} from "@parley/core/testing";
import type { MessageEvent } from "@parley/schema";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogWriter, type LogWriter } from "./log-writer.ts";

describe("a log writer", () => {
  let test: TestCore;
  let run: ClaimedRun;
  let other: ClaimedRun;
  let writer: LogWriter<MessageEvent>;
  let start: () => Promise<ClaimedRun[]>;
  beforeAll(async () => {
    test = await openTestCore();
    const workspace = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, workspace);
    const agents = ["ann", "bob"];
    for (const sid of agents) await insertTestAgent(test.core, workspace, { sid });
    start = async () => {
      await createTestConversation(context, agents);
      // Their leases have expired from the start.
      return (await claimTestTurns(test.core, -1)).map((claimed) => claimed.run);
    };
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    const [first, second] = await start();
    run = first!;
    other = second!;
    writer = createLogWriter<MessageEvent>(test.core);
  });
  afterAll(() => test.close());

  const textsOf = async ({ logId }: ClaimedRun) =>
    (await readEvents(test.core.database.db, logId, 0)).map(
      ({ payload }) => (JSON.parse(payload) as { text: string }).text,
    );
  /** Resolves when a hint shows that the run's log has this many events. */
  const written = ({ logId }: ClaimedRun, count: number) =>
    new Promise<void>((resolve) => {
      const unsubscribe = test.core.bus.subscribe(`log:${logId}`, (hint) => {
        if (hint.lastSeq < count) return;
        unsubscribe();
        resolve();
      });
    });
  const takeOver = async () =>
    (await takeOverRuns(test.core, { workerId: "other", leaseMs: 60_000, limit: 1 }))[0]!;
  const texts = (events: readonly MessageEvent[]) =>
    events.map((event) => (event.type === "generation_tokens" ? event.text : event.type));

  it("writes the events of each run in order, and publishes hints", async () => {
    const both = Promise.all([written(run, 5), written(other, 5)]);
    for (let count = 0; count < 5; count++) {
      await writer.write(run, testToken(`a${count}`));
      await writer.write(other, testToken(`b${count}`));
    }
    await both;
    expect(await textsOf(run)).toEqual(["a0", "a1", "a2", "a3", "a4"]);
    expect(await textsOf(other)).toEqual(["b0", "b1", "b2", "b3", "b4"]);
  });

  it("gives unwritten events to `take`, and no longer writes them", async () => {
    const first = written(run, 1);
    await writer.write(run, testToken("written"));
    await first;
    await writer.write(run, testToken("taken"));
    await writer.write(other, testToken("stays"));
    expect(texts((await writer.take(run)).events)).toEqual(["taken"]);
    expect((await writer.take(run)).events).toEqual([]);
    await written(other, 1);
    expect(await textsOf(run)).toEqual(["written"]);
    expect(await textsOf(other)).toEqual(["stays"]);
  });

  it("loses and repeats nothing when many events are written and some are taken", async () => {
    const all = Array.from({ length: 5000 }, (_, index) => `${index}`);
    for (const text of all) await writer.write(run, testToken(text));
    const { events: taken, lastSeq } = await writer.take(run);
    expect(taken.length).toBeLessThan(5000);
    const stored = [];
    for (let page; (page = await readEvents(test.core.database.db, run.logId, stored.length));) {
      if (page.length === 0) break;
      stored.push(...page.map(({ payload }) => JSON.parse(payload) as MessageEvent));
    }
    expect(texts([...stored, ...taken])).toEqual(all);
    expect(lastSeq).toBe(stored.length);
  });

  it("does not delay a run by the output of another", async () => {
    const first = written(other, 1);
    for (let count = 0; count < 300; count++) {
      await writer.write(run, testToken("x".repeat(16_000)));
    }
    await writer.write(other, testToken("short"));
    await first;
    expect((await textsOf(run)).length).toBeLessThan(100);
    await written(run, 300);
  });

  it("throws after a run was taken over, and does not affect other runs", async () => {
    await takeOver();
    const other1 = written(other, 1);
    await writer.write(run, testToken("lost"));
    await writer.write(other, testToken("good"));
    await other1;
    await expect(writer.write(run, testToken("late"))).rejects.toThrow("no longer holds");
    await expect(writer.take(run)).rejects.toThrow("no longer holds");
    await writer.write(other, testToken("more"));
    expect(texts((await writer.take(other)).events)).toEqual(["more"]);
    expect(await textsOf(run)).toEqual([]);
  });

  it("fails only the run whose events the database refuses", async () => {
    const other1 = written(other, 1);
    // PostgreSQL refuses NUL; output of models and functions is made well-formed earlier.
    const refused: object = { ...testToken("bad"), type: "\0" };
    await writer.write(run, refused as MessageEvent);
    await writer.write(other, testToken("good"));
    await other1;
    await expect(writer.write(run, testToken("late"))).rejects.toThrow("Events were refused");
    await writer.write(other, testToken("more"));
    expect(texts((await writer.take(other)).events)).toEqual(["more"]);
  });

  it("leaves no gap when a connection breaks during a write", async () => {
    const { db } = test.core.database;
    const held = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const holder = test.core.database.transaction(async (tx) => {
      await tx.execute(`select from logs where id = '${run.logId}' for update`);
      held.resolve();
      await gate.promise;
    });
    await held.promise;
    const all = written(run, 4);
    for (const text of ["a", "b"]) await writer.write(run, testToken(text));
    // The write waits for the lock, and its connection breaks there.
    const broken = await vi.waitFor(async () => {
      const ended: unknown = await db.execute(`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`);
      const { rows } = ended as { rows: object[] };
      expect(rows).toHaveLength(1);
      return rows.length;
    });
    expect(broken).toBe(1);
    for (const text of ["c", "d"]) await writer.write(run, testToken(text));
    gate.resolve();
    await holder;
    await all;
    expect(await textsOf(run)).toEqual(["a", "b", "c", "d"]);
    expect(writer.waitingSince(run)).toBeUndefined();
  });

  it("writes for the attempt that takes over in the same worker", async () => {
    const current = await takeOver();
    await writer.write(run, testToken("stale"));
    await writer.write(current, testToken("good"));
    await written(current, 1);
    expect(await textsOf(run)).toEqual(["good"]);
    await expect(writer.take(current)).resolves.toEqual({ events: [], lastSeq: 1 });
    await expect(writer.take(run)).rejects.toThrow("no longer holds");
  });
});

describe("a log writer, without its database", () => {
  it("buffers unwritten events, in order, until the run is released", async () => {
    const test = await openTestCore();
    const run = { logId: "log", attempt: 1, lastSeq: 7 } as ClaimedRun;
    const writer = createLogWriter<MessageEvent>(test.core);
    await test.close();
    for (const text of ["a", "b"]) await writer.write(run, testToken(text));
    await vi.waitFor(() => expect(writer.waitingSince(run)).toBeDefined());
    await writer.write(run, testToken("c"));
    const { events, lastSeq } = await writer.take(run);
    expect(events).toMatchObject([{ text: "a" }, { text: "b" }, { text: "c" }]);
    expect(lastSeq).toBe(7);
    const full = (async () => {
      for (;;) await writer.write(run, testToken("d"));
    })();
    await turn();
    writer.release(run);
    await expect(full).rejects.toThrow("no longer holds");
  });
});
