import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Context, type Core, followLog, invokeSandboxFunction } from "@parley/core";
import {
  createTestCore,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "@parley/core/testing";
import { events, invocations, logs, openPostgres, runs } from "@parley/db";
import { createTemporaryDatabase, isNightly } from "@parley/db/testing";
import { describe, expect, it } from "vitest";
import { eventually, root } from "../server.ts";

// Workers are killed in the middle of their invocations, and one sleeps past its leases and wakes:
// each invocation ends once, and whoever follows it sees each of its events once.

const INVOCATIONS = isNightly ? 1000 : 120;
const KILLS = isNightly ? 20 : 3;
const WORKERS = 3;
/** Invocations that have not ended, at most: so many that a worker that is killed had some. */
const OUTSTANDING = 40;
const PATIENCE_MS = 90_000;
const settings = { PARLEY_WORKER_CONCURRENCY: "12", PARLEY_LEASE_MS: "1000" };
const behaviour = {
  durationMs: 400,
  steps: [0.1, 0.3, 0.5, 0.7, 0.9].map((at) => ({
    at,
    log: { stream: "stdout" as const, text: `at ${at}` },
  })),
};

async function startWorker(url: string): Promise<ChildProcess> {
  const file = path.join(import.meta.dirname, "invocation-worker.ts");
  const flags = ["--conditions=@parley/source"];
  const child = spawn(process.execPath, [...flags, file, url, JSON.stringify(settings)], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("The worker did not start"))),
  ]);
  return child;
}

/** Runs that workers hold now, each in its attempt. */
async function heldRuns({ database }: Core): Promise<Set<string>> {
  const running = (await database.db.select().from(runs)).filter((run) => run.status === "running");
  return new Set(running.map(({ logId, attempt }) => `${logId} ${attempt}`));
}

/** Invokes and follows; `ended` counts the followers that have seen an end. */
function createTally(context: Context) {
  const seen = new Map<string, number[]>();
  const followers: Promise<void>[] = [];
  const tally = { ended: 0, begun: 0 };
  const follow = async (logId: string): Promise<void> => {
    const numbers: number[] = [];
    seen.set(logId, numbers);
    const { signal } = new AbortController();
    for await (const some of followLog(context, { logId, after: 0, signal })) {
      numbers.push(...some.map(({ seq }) => seq));
    }
    tally.ended++;
  };
  const feed = async (): Promise<void> => {
    for (;;) {
      await reach(tally.begun - OUTSTANDING + 1);
      // Other feeders have begun some in the meantime.
      if (tally.begun >= INVOCATIONS) return;
      const functionId = tally.begun++ % 2 === 0 ? "once" : "again";
      const { invocation } = await invokeSandboxFunction(context, { functionId, input: null });
      followers.push(follow(invocation.sId));
    }
  };
  /** Waits until so many have ended. */
  const reach = async (count: number): Promise<void> => {
    await eventually(async () => (tally.ended >= count ? { value: true } : {}), PATIENCE_MS);
  };
  return { seen, followers, feed, reach };
}

async function expectEndedOnce(core: Core, seen: ReadonlyMap<string, number[]>): Promise<void> {
  const { db } = core.database;
  const ofLogs = Map.groupBy(await db.select().from(events), (event) => event.logId);
  const lastSeqs = new Map((await db.select().from(logs)).map((log) => [log.id, log.lastSeq]));
  const allRuns = await db.select().from(runs);
  expect(allRuns.filter((run) => run.status !== "finished")).toEqual([]);
  const attempts = new Map(allRuns.map((run) => [run.logId, run.attempt]));
  let interrupted = 0;
  let repeated = 0;
  const stored = await db.select().from(invocations);
  expect(stored).toHaveLength(INVOCATIONS);
  for (const { sid, status, error } of stored) {
    const ofLog = (ofLogs.get(sid) ?? []).toSorted((a, b) => a.seq - b.seq);
    const numbers = Array.from({ length: lastSeqs.get(sid) ?? 0 }, (_, index) => index + 1);
    expect(ofLog.map(({ seq }) => seq)).toEqual(numbers);
    expect(seen.get(sid)).toEqual(numbers);
    const ends = ofLog.filter(({ type }) => /_(?:result|error)$/.test(type));
    expect(ends.map(({ seq }) => seq)).toEqual([numbers.length]);
    expect(ends[0]?.type.endsWith("_result")).toBe(status === "succeeded");
    // One that is run again is given up after two deaths.
    const code = attempts.get(sid)! > 2 ? "invocation_failed" : "interrupted";
    expect(error?.code).toBe(status === "errored" ? code : undefined);
    if (status === "errored") interrupted++;
    else if (attempts.get(sid)! > 1) repeated++;
  }
  // Some were hit: each kind is ended or begun again.
  expect(interrupted + repeated).toBeGreaterThan(0);
}

describe("invocations", () => {
  it("end once each, whatever happens to their workers", { timeout: 1_800_000 }, async () => {
    const { url, drop } = await createTemporaryDatabase();
    const database = await openPostgres({ url });
    const test = createTestCore(database, { safetyPollMs: 100 });
    const workspace = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, workspace);
    await insertTestFunction(test.core, workspace, { slug: "once", ...behaviour });
    const again = { slug: "again", retryable: true, ...behaviour };
    await insertTestFunction(test.core, workspace, again);
    const workers: ChildProcess[] = [];
    try {
      const starting = Array.from({ length: WORKERS }, () => startWorker(url));
      workers.push(...(await Promise.all(starting)));
      const { seen, followers, feed, reach } = createTally(context);
      const feeding = Promise.all([feed(), feed(), feed(), feed()]);
      for (let kill = 1; kill <= KILLS; kill++) {
        await reach(Math.floor((kill * INVOCATIONS) / (KILLS + 4)));
        const victim = workers.shift();
        victim?.kill("SIGKILL");
        workers.push(await startWorker(url));
      }
      const [sleeper] = workers;
      sleeper?.kill("SIGSTOP");
      const held = await heldRuns(test.core);
      // What the sleeper holds is taken over; the others end theirs.
      await eventually(async () => {
        const now = await heldRuns(test.core);
        return held.intersection(now).size === 0 ? { value: true } : {};
      }, PATIENCE_MS);
      sleeper?.kill("SIGCONT");
      await feeding;
      await reach(INVOCATIONS);
      await Promise.all(followers);
      await expectEndedOnce(test.core, seen);
    } finally {
      const exits = workers.map(async (worker) => {
        if (worker.exitCode === null && worker.signalCode === null) {
          worker.kill("SIGKILL");
          await once(worker, "exit");
        }
      });
      await Promise.all(exits);
      await test.close();
      await drop();
    }
  });
});
