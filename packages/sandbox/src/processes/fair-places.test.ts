import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Sandbox, SandboxExecution } from "../contract.ts";
import { openTestSandbox, outcomeOf, runCode, testLimits } from "../../testing/run-code.ts";

// What one workspace's functions may keep from another's.

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const sleeping = "await new Promise((resolve) => setTimeout(resolve, 600_000)); return 1;";
const spinning = "for (;;);";
/** It never waits for long, and hardly uses a processor. */
const ticking = "setInterval(() => {}, 5); await new Promise(() => {});";
const limits = { ...testLimits, timeoutMs: 600_000, cpuMs: 600_000 };

/** Runs code in workspaces 1, 2 …, as many times in each, until it is ended. */
function fill(
  code: string,
  workspaces: number,
  times: number,
  more: Partial<SandboxExecution> = {},
) {
  const abort = new AbortController();
  const runs = Array.from({ length: workspaces }, (_, index) =>
    Array.from({ length: times }, () =>
      runCode(sandbox, code, { workspaceId: index + 1, limits, signal: abort.signal, ...more }),
    ),
  ).flat();
  const settled = Promise.allSettled(runs);
  return {
    end: async () => {
      abort.abort(new Error("enough"));
      await settled;
    },
  };
}

async function timed<T>(work: Promise<T>): Promise<{ tookMs: number; value: T }> {
  const startedAt = performance.now();
  const value = await work;
  return { tookMs: performance.now() - startedAt, value };
}

const answer = (workspaceId: number) => timed(runCode(sandbox, "return 1;", { workspaceId }));

/** How long a workspace waits that comes to the others; the shortest of a few, because the machine has other work. */
async function waitOf(workspaceIds: readonly number[]): Promise<number> {
  let shortestMs = Infinity;
  for (const workspaceId of workspaceIds) {
    const { tookMs, value } = await answer(workspaceId);
    expect(outcomeOf(value)).toBe("1");
    shortestMs = Math.min(shortestMs, tookMs);
  }
  return shortestMs;
}

describe("places for code", () => {
  it("answers a third workspace while the functions of two sleep for ten minutes", async () => {
    // Where a kernel gives huge pages to all, one of them takes more than 50 MiB.
    sandbox = await openTestSandbox({ maxProcesses: 4, maxWaitingBytes: 20 * 134_217_728 });
    const flood = fill(sleeping, 2, 10);
    await expect.poll(() => sandbox.state.parked).toBe(20);
    expect(sandbox.state.waiting).toBe(0);
    expect(await waitOf([3, 3])).toBeLessThan(2000);
    await flood.end();
  });

  it.each([
    ["keep a processor busy", spinning],
    ["run every few milliseconds", ticking],
  ])("starts a third workspace while the functions of two %s", async (_name, code) => {
    sandbox = await openTestSandbox({ maxProcesses: 4 });
    const flood = fill(code, 2, 6);
    await expect.poll(() => sandbox.state.busy).toBe(4);
    expect(await waitOf([3, 4, 3, 4])).toBeLessThan(2000);
    // No more run than there are places.
    expect(sandbox.state.busy - sandbox.state.parked).toBeLessThanOrEqual(4);
    await flood.end();
  });

  it("lets more workspaces than places take turns", async () => {
    sandbox = await openTestSandbox({ maxProcesses: 2 });
    const flood = fill(spinning, 3, 2);
    const answers = await Promise.all([4, 5].map(answer));
    expect(answers.map(({ value }) => outcomeOf(value))).toEqual(["1", "1"]);
    await flood.end();
  });

  it("lets code that was stopped for others continue, and takes no time of its timeout", async () => {
    sandbox = await openTestSandbox({ maxProcesses: 2 });
    const flood = fill(spinning, 3, 1);
    const busyFor = (ms: number) =>
      `const until = Date.now() + ${ms}; let turns = 0; while (Date.now() < until) turns++; return turns > 0;`;
    const ran = await runCode(sandbox, busyFor(1500), { workspaceId: 4, limits });
    expect(outcomeOf(ran)).toBe("true");
    await flood.end();
    const other = fill(spinning, 3, 1);
    const wait = "await new Promise((resolve) => setTimeout(resolve, 100)); return 2;";
    const patient = { ...limits, timeoutMs: 1000 };
    const waits = [4, 5].map((workspaceId) =>
      runCode(sandbox, wait, { workspaceId, limits: patient }),
    );
    expect((await Promise.all(waits)).map(outcomeOf)).toEqual(["2", "2"]);
    await other.end();
  });

  it("runs no more than there are places when all that wait get their answers at once", async () => {
    const held: (() => void)[] = [];
    const server = createServer((_, response) => {
      held.push(() => response.end("go"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    sandbox = await openTestSandbox({ maxProcesses: 4, privateHosts: [host] });
    const asks = `await context.fetch("http://${host}/"); for (;;);`;
    const flood = fill(asks, 2, 8, { allowedHosts: [host] });
    await expect.poll(() => sandbox.state.parked).toBe(16);
    for (const answerIt of held) answerIt();
    await expect.poll(() => sandbox.state.waiting, { interval: 5 }).toBe(12);
    for (let look = 0; look < 30; look++) {
      expect(sandbox.state.busy - sandbox.state.parked).toBeLessThanOrEqual(4);
      await sleep(20);
    }
    expect(outcomeOf((await answer(3)).value)).toBe("1");
    await flood.end();
    server.close();
    server.closeAllConnections();
  });

  it("ends what has slept longest, of the workspace with most, if memory is short", async () => {
    const maxWaitingBytes = 200 * 1024 * 1024;
    sandbox = await openTestSandbox({ maxProcesses: 4, maxWaitingBytes });
    const own = new AbortController();
    const small = runCode(sandbox, sleeping, { workspaceId: 2, limits, signal: own.signal });
    const smallEnds = small.catch(() => "cancelled");
    await expect.poll(() => sandbox.state.parked).toBe(1);
    const ends: { index: number; outcome: string }[] = [];
    const abort = new AbortController();
    const runs: Promise<unknown>[] = [];
    for (let index = 0; ends.length < 3 && index < 40; index++) {
      const run = runCode(sandbox, sleeping, { limits, signal: abort.signal });
      runs.push(run.then((ran) => ends.push({ index, outcome: outcomeOf(ran) })).catch(() => {}));
      await expect.poll(() => sandbox.state.parked + ends.length).toBe(index + 2);
    }
    // They end side by side, in any order: those that have ended are the ones that slept first.
    const ended = () => ends.map(({ index }) => index).toSorted((one, other) => one - other);
    await expect.poll(() => ended().every((index, at) => index === at)).toBe(true);
    expect(ends.every(({ outcome }) => outcome === "overloaded")).toBe(true);
    expect(ends.length).toBeGreaterThanOrEqual(3);
    abort.abort(new Error("enough"));
    own.abort(new Error("enough"));
    await Promise.all(runs);
    expect(await smallEnds).toBe("cancelled");
  });
});
