import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import { appendEvents } from "./append.ts";
import type { StoredEvent } from "./bus.ts";
import { followLog } from "./follow.ts";
import { inTransaction } from "./transaction.ts";
import { listenForEnds } from "./listen-for-ends.ts";

describe("followLog", () => {
  const test = coreTest({ safetyPollMs: 60_000 });

  const append = (logId: string, count: number, ...last: (typeof testEnd)[]) =>
    inTransaction(test.core, async ({ db, afterCommit }) => {
      const events = [...Array.from({ length: count }, (_, at) => testToken(`${at}`)), ...last];
      await appendEvents(db, [{ logId, events }], afterCommit);
    });

  const collect = async (logId: string, after: number, signal?: AbortSignal) => {
    const seen: number[] = [];
    const options = { logId, after, signal: signal ?? new AbortController().signal };
    for await (const events of followLog(test.core, options)) {
      seen.push(...events.map((event) => event.seq));
    }
    return seen;
  };
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it.each([
    { name: "a short log", count: 3, after: 0 },
    { name: "a log of several pages", count: 1201, after: 0 },
    { name: "a log whose last page is full", count: 999, after: 0 },
    { name: "the rest after a cursor", count: 20, after: 7 },
    { name: "the terminal event alone", count: 20, after: 20 },
  ])("reads $name to its end", async ({ count, after }) => {
    const logId = await openTestLog(test.core);
    await append(logId, count, testEnd);
    expect(await collect(logId, after)).toEqual(numbers(after + 1, count + 1));
  });

  it("gets what is appended while it follows, more than it keeps included", async () => {
    const logId = await openTestLog(test.core);
    await append(logId, 2);
    const followed = collect(logId, 1);
    for (const count of [1, 3, 1500, 1]) await append(logId, count);
    await append(logId, 0, testEnd);
    expect(await followed).toEqual(numbers(2, 1508));
  });

  it("goes to the log when hints say less than was written", async () => {
    const logId = await openTestLog(test.core);
    const followed = collect(logId, 0);
    await append(logId, 2);
    const unheard = { ...test.core, bus: { ...test.core.bus, publish: () => {} } };
    await inTransaction(unheard, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events: [testToken("lost")] }], afterCommit);
    });
    await append(logId, 1, testEnd);
    expect(await followed).toEqual([1, 2, 3, 4, 5]);
  });

  it("ends when its signal aborts, and holds no subscription then", async () => {
    const logId = await openTestLog(test.core);
    const abort = new AbortController();
    const followed = collect(logId, 0, abort.signal);
    await append(logId, 1);
    abort.abort();
    const seen = await followed;
    expect([[], [1]]).toContainEqual(seen);
    expect(await collect(logId, 0, abort.signal)).toEqual([]);
  });

  describe("listenForEnds", () => {
    const never = new AbortController().signal;

    it("resolves when all of the logs have ended", async () => {
      const logIds = [await openTestLog(test.core), await openTestLog(test.core)];
      let waiting = true;
      const waited = listenForEnds(test.core, {
        logIds,
        timeoutMs: 60_000,
        signal: never,
      }).ends.then(() => (waiting = false));
      await append(logIds[0]!, 1, testEnd);
      expect(waiting).toBe(true);
      await append(logIds[1]!, 1, testEnd);
      expect(await waited).toBe(false);
    });

    it("waits no longer for a log that pauses, and takes no other event for an end", async () => {
      const paused = await openTestLog(test.core);
      const ended = await openTestLog(test.core);
      await append(ended, 1, testEnd);
      await append(paused, 1);
      const watchPauses = () => (events: readonly StoredEvent[]) =>
        events.every(({ type }) => type !== testEnd.type);
      const options = { logIds: [paused, ended], timeoutMs: 60_000, signal: never, watchPauses };
      expect([...(await listenForEnds(test.core, options).ends).keys()]).toEqual([ended]);
    });

    it("resolves when its time is over", async () => {
      const logIds = [await openTestLog(test.core)];
      const waited = listenForEnds(test.core, { logIds, timeoutMs: 10, signal: never }).ends;
      await expect(waited).resolves.toEqual(new Map());
    });

    it("resolves when its signal aborts", async () => {
      const logIds = [await openTestLog(test.core)];
      const signal = AbortSignal.timeout(10);
      const waited = listenForEnds(test.core, { logIds, timeoutMs: 60_000, signal }).ends;
      await expect(waited).resolves.toEqual(new Map());
    });
  });
});
