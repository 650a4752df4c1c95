import { type ClaimedRun, readEvents, takeOverRuns } from "@parley/core";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  drivers,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
  testToken,
} from "@parley/core/testing";
import type { MessageEvent } from "@parley/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLogWriter, type LogWriter } from "./log-writer.ts";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`a log writer ${suite}`, () => {
    let test: TestCore;
    let run: ClaimedRun;
    let other: ClaimedRun;
    let writer: LogWriter<MessageEvent>;
    let start: () => Promise<ClaimedRun[]>;
    beforeAll(async () => {
      test = await openTestCore(driver);
      const workspace = await insertTestWorkspace(test.core);
      const context = await openTestContext(test.core, workspace);
      const agents = ["ann", "bob"];
      for (const sid of agents) await insertTestAgent(test.core, workspace, { sid });
      start = async () => {
        await createTestConversation(context, agents);
        // Their leases are over when they begin.
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
    /** Resolves when a hint of the run's log says that it has this many events. */
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
    const texts = (events: MessageEvent[]) =>
      events.map((event) => (event.type === "generation_tokens" ? event.text : event.type));

    it("writes the events of each run in their order, and tells of them", async () => {
      const both = Promise.all([written(run, 5), written(other, 5)]);
      for (let count = 0; count < 5; count++) {
        await writer.write(run, testToken(`a${count}`));
        await writer.write(other, testToken(`b${count}`));
      }
      await both;
      expect(await textsOf(run)).toEqual(["a0", "a1", "a2", "a3", "a4"]);
      expect(await textsOf(other)).toEqual(["b0", "b1", "b2", "b3", "b4"]);
    });

    it("gives what was not yet written to who takes it, and writes it no more", async () => {
      const first = written(run, 1);
      await writer.write(run, testToken("written"));
      await first;
      await writer.write(run, testToken("taken"));
      await writer.write(other, testToken("stays"));
      expect(texts(await writer.take(run))).toEqual(["taken"]);
      expect(await writer.take(run)).toEqual([]);
      await written(other, 1);
      expect(await textsOf(run)).toEqual(["written"]);
      expect(await textsOf(other)).toEqual(["stays"]);
    });

    it("loses and repeats nothing when much is written, and some of it taken", async () => {
      const all = Array.from({ length: 5000 }, (_, index) => `${index}`);
      for (const text of all) await writer.write(run, testToken(text));
      const taken = await writer.take(run);
      expect(taken.length).toBeLessThan(5000);
      const stored = [];
      for (let page; (page = await readEvents(test.core.database.db, run.logId, stored.length));) {
        if (page.length === 0) break;
        stored.push(...page.map(({ payload }) => JSON.parse(payload) as MessageEvent));
      }
      expect(texts([...stored, ...taken])).toEqual(all);
    });

    it("throws once the run was taken over, and leaves the other runs alone", async () => {
      await takeOver();
      const other1 = written(other, 1);
      await writer.write(run, testToken("lost"));
      await writer.write(other, testToken("good"));
      await other1;
      await expect(writer.write(run, testToken("late"))).rejects.toThrow("no longer holds");
      await expect(writer.take(run)).rejects.toThrow("no longer holds");
      await writer.write(other, testToken("more"));
      expect(texts(await writer.take(other))).toEqual(["more"]);
      expect(await textsOf(run)).toEqual([]);
    });

    it("writes for the attempt that takes over in the same worker", async () => {
      await writer.write(run, testToken("stale"));
      const current = await takeOver();
      await writer.write(current, testToken("good"));
      await written(current, 1);
      expect(await textsOf(run)).toEqual(["good"]);
      await expect(writer.take(current)).resolves.toEqual([]);
      await expect(writer.take(run)).rejects.toThrow("no longer holds");
    });
  });

  describe.skipIf(skip)(`a log writer ${suite}, without its database`, () => {
    it("throws for every run whose events could not be written", async () => {
      const test = await openTestCore(driver);
      const run = { logId: "log", attempt: 1 } as ClaimedRun;
      const writer = createLogWriter<MessageEvent>(test.core);
      await test.close();
      await writer.write(run, testToken("lost"));
      let thrown: unknown;
      while (thrown === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        thrown = await writer.take(run).then(
          (events) => (events.length > 0 ? writer.write(run, events[0]!) : undefined),
          (error: unknown) => error,
        );
      }
      expect(thrown).toMatchObject({ message: "Events could not be written" });
    });
  });
}
