import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Job } from "./job.ts";
import { createThreads, type Threads } from "./threads.ts";

const url = new URL("../../testing/misbehaving-thread.ts", import.meta.url).href;
const spin: Job<{ ms: number; says: string }, string> = { url, name: "spin", deadlineMs: 300 };
const FOREVER = 1_000_000;

let threads: Threads;
afterEach(() => threads.close());

const request = (workspaceId: number) => ({ workspaceId, origin: "request" }) as const;
const quick = (workspaceId: number, says = "done") =>
  threads.call(spin, { ms: 0, says }, request(workspaceId));
const endless = (workspaceId: number) =>
  threads.call(spin, { ms: FOREVER, says: "never" }, request(workspaceId));

async function timed<T>(work: Promise<T>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe("threads", () => {
  it("lets no workspace wait for the 90 endless calls of another", async () => {
    threads = createThreads(2);
    await quick(1);
    let ended = 0;
    const flood = Array.from({ length: 90 }, () => endless(1).finally(() => ended++));
    const settled = Promise.allSettled(flood);
    for (let count = 0; count < 20; count++) expect(await quick(2)).toEqual({ value: "done" });
    expect(ended).toBeLessThan(45);
    await threads.close();
    await settled;
  });

  it("starts no thread for a workspace in place of those that another ends", async () => {
    threads = createThreads(2);
    const where: Job<null, number> = { url, name: "whereAmI", deadlineMs: 30_000 };
    const used = new Set<string>();
    let isOver = false;
    const flood = Promise.all(Array.from({ length: 8 }, () => endless(1)));
    void flood.then(() => (isOver = true));
    while (!isOver) {
      used.add(JSON.stringify(await threads.call(where, null, request(2))));
      await sleep(10);
    }
    // The first that was ended may have been everybody's.
    expect(used.size).toBeLessThanOrEqual(2);
  });

  it("ends what takes too long, counted from when it began to run", async () => {
    threads = createThreads(2);
    const patient = { ...request(1), deadlineMs: 1600 };
    const outcomes = await Promise.all([
      endless(1),
      threads.call(spin, { ms: 800, says: "first" }, patient),
      threads.call(spin, { ms: 800, says: "second" }, patient),
      threads.call(spin, { ms: 800, says: "third" }, patient),
    ]);
    expect(outcomes).toEqual([
      { failure: "too slow" },
      { value: "first" },
      { value: "second" },
      { value: "third" },
    ]);
  });

  it.runIf(process.platform === "linux")(
    "does not count the time in which a thread waits for a processor, up to ten times as much",
    async () => {
      threads = createThreads(2);
      const idle: Job<{ ms: number; says: string }, string> = {
        url,
        name: "idle",
        deadlineMs: 100,
      };
      const outcomes = [300, FOREVER].map((ms) =>
        threads.call(idle, { ms, says: "done" }, request(1)),
      );
      expect(await Promise.all(outcomes)).toEqual([{ value: "done" }, { failure: "too slow" }]);
    },
  );

  it("blames the one of several calls that ended their thread", async () => {
    threads = createThreads(1);
    const outcomes = await Promise.all([
      quick(1, "a"),
      quick(1, "b"),
      endless(1),
      quick(1, "c"),
      endless(1),
      quick(1, "d"),
    ]);
    expect(outcomes.map((one) => ("value" in one ? one.value : one.failure))).toEqual([
      "a",
      "b",
      "too slow",
      "c",
      "too slow",
      "d",
    ]);
  });

  it("bounds the memory of a call, and outlives one that takes all", async () => {
    threads = createThreads(1);
    const hoard: Job<null, number> = { url, name: "hoard", deadlineMs: 60_000 };
    const outcomes = [threads.call(hoard, null, request(1)), quick(1)];
    expect(await Promise.all(outcomes)).toEqual([{ failure: "out of memory" }, { value: "done" }]);
  });

  it("holds up nothing on the event loop while it works", async () => {
    threads = createThreads(2);
    let isOver = false;
    const startedAt = performance.now();
    const spinning = threads.call(
      spin,
      { ms: 1000, says: "x" },
      { ...request(1), deadlineMs: 10_000 },
    );
    void spinning.then(() => (isOver = true));
    let longestMs = 0;
    while (!isOver) {
      longestMs = Math.max(longestMs, await timed(new Promise((done) => setTimeout(done, 5))));
    }
    expect(longestMs).toBeLessThan((performance.now() - startedAt) / 2);
  });

  it("refuses a workspace's requests once too many wait, and never a run's", async () => {
    threads = createThreads(2);
    const flood = Array.from({ length: 1001 }, () => endless(1));
    const settled = Promise.allSettled(flood);
    await expect(quick(1)).rejects.toMatchObject({ type: "rate_limit_error" });
    const run = threads.call(spin, { ms: 0, says: "run" }, { workspaceId: 1, origin: "run" });
    run.catch(() => {});
    expect(await quick(2)).toEqual({ value: "done" });
    await threads.close();
    await settled;
    await expect(run).rejects.toThrow("closed");
  });

  it("leaves out what was aborted before it ran", async () => {
    threads = createThreads(1);
    const abort = new AbortController();
    const first = endless(1);
    const dropped = threads.call(
      spin,
      { ms: FOREVER, says: "never" },
      { ...request(1), signal: abort.signal },
    );
    const next = quick(1);
    abort.abort(new Error("enough"));
    await expect(dropped).rejects.toThrow("enough");
    const startedAt = performance.now();
    expect(await Promise.all([first, next])).toEqual([{ failure: "too slow" }, { value: "done" }]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const aborted = { ...request(1), signal: AbortSignal.abort(new Error("before")) };
    await expect(threads.call(spin, { ms: 0, says: "" }, aborted)).rejects.toThrow("before");
  });

  it("throws what is broken in a job, and shows strangers' work nothing of the process", async () => {
    threads = createThreads(1);
    const broken: Job<null, never> = { url, name: "breakDown", deadlineMs: 300 };
    await expect(threads.call(broken, null, request(1))).rejects.toThrow("A thread's call broke");
    const missing: Job<null, never> = { url, name: "missing", deadlineMs: 300 };
    await expect(threads.call(missing, null, request(1))).rejects.toThrow("no such function");
    const look: Job<null, object> = { url, name: "lookAround", deadlineMs: 300 };
    const found = await threads.call(look, null, request(1));
    expect(found).toEqual({ value: { environment: 0, conditions: 0 } });
  });
});
