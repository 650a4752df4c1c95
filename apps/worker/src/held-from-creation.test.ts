import { type Context, type LocalWorker, type NewRuns, renewLeases } from "@parley/core";
import {
  clearRuns,
  countTestRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  readTestRuns,
  type TestCore,
} from "@parley/core/testing";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker, type Worker } from "./worker.ts";

const quick = { steps: [{ text: "You said {{message}}" }], tokenDelayMs: 0 };
const slow = { steps: [{ text: "word ".repeat(100) }], tokenDelayMs: 50 };

describe("runs that a worker holds from their creation", () => {
  let test: TestCore;
  let context: Context;
  let other: Context;
  const workers: Worker[] = [];
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    const [first, second] = [
      await insertTestWorkspace(test.core),
      await insertTestWorkspace(test.core),
    ];
    context = await openTestContext(test.core, first);
    other = await openTestContext(test.core, second);
    for (const workspace of [first, second]) {
      await insertTestAgent(test.core, workspace, { sid: `quick-${workspace.id}`, script: quick });
      await insertTestAgent(test.core, workspace, { sid: `slow-${workspace.id}`, script: slow });
    }
  });
  beforeEach(() => clearRuns(test.core));
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close(0)));
  });
  afterAll(() => test.close());

  const startWorker = async (own: object = {}): Promise<Worker> => {
    const settings = WorkerSettings.parse({ PARLEY_LEASE_MS: 600_000, ...own });
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    workers.push(worker);
    worker.start();
    const probe: NewRuns = { kind: "agent_turn", workspaceId: 0, logIds: ["probe"] };
    const hasPlaces = () => {
      const taken = test.core.localWorkers.takePlaces(probe);
      taken?.worker.giveUp(probe, "not written");
      return taken !== undefined;
    };
    // Once it has claimed what waited.
    await expect.poll(hasPlaces).toBe(true);
    return worker;
  };
  const ask = async (script: "quick" | "slow", by = context): Promise<string> => {
    const created = await createTestConversation(by, [`${script}-${by.caller.workspace.id}`]);
    return created.conversation.content.at(-1)![0]!.sId;
  };
  const readRuns = () => readTestRuns(test.core);
  const statuses = async () => (await readRuns()).map(({ status }) => status);
  const endOf = async (logId: string) => (await readTestLog(test.core, logId)).at(-1);

  it("begin in their first attempt, under the lease of the worker", async () => {
    await startWorker();
    await ask("slow");
    expect(await readRuns()).toMatchObject([{ status: "running", attempt: 1 }]);
    const [run] = await readRuns();
    expect(Date.parse(`${run?.leaseUntil?.toISOString()}`)).toBeGreaterThan(Date.now() + 500_000);
  });

  it("are no more than the worker has places for: the others wait, and are claimed", async () => {
    await startWorker({ PARLEY_WORKER_CONCURRENCY: 2 });
    const asked = await Promise.all(["slow", "slow", "slow"].map(() => ask("slow")));
    expect((await statuses()).toSorted()).toEqual(["running", "running", "waiting"]);
    // One that ends makes room.
    expect(asked).toHaveLength(3);
  });

  it("are at most as many of a workspace as it may have", async () => {
    await startWorker({ PARLEY_WORKSPACE_TURNS: 1 });
    await ask("slow");
    await ask("slow");
    await ask("slow", other);
    await expect.poll(statuses).toEqual(["running", "waiting", "running"]);
  });

  it("leave their places to runs that have waited longer", async () => {
    await startWorker({ PARLEY_WORKER_CONCURRENCY: 1 });
    const first = await ask("quick");
    const second = await ask("quick");
    const third = await ask("quick");
    await expect.poll(statuses).toEqual(["finished", "finished", "finished"]);
    const [one, two, three] = await Promise.all([first, second, third].map(endOf));
    expect(one!.created).toBeLessThanOrEqual(two!.created);
    expect(two!.created).toBeLessThanOrEqual(three!.created);
  });

  /** A worker that dies between the commit and the start of its runs. */
  const registerDead = (leaseMs: number) => {
    const given: NewRuns[] = [];
    const dead: LocalWorker = {
      takePlaces: () => ({ workerId: "dead", leaseMs, perWorkspace: 1 }),
      start: (started) => void given.push(started),
      giveUp: () => {},
    };
    return { given, [Symbol.dispose]: test.core.localWorkers.register(dead) };
  };

  it("are taken over if the worker died before it began", async () => {
    const dead = registerDead(600_000);
    const logId = await ask("quick");
    expect(dead.given).toMatchObject([{ logIds: [logId] }]);
    expect(await readRuns()).toMatchObject([{ status: "running", workerId: "dead", attempt: 1 }]);
    dead[Symbol.dispose]();
    await startWorker();
    await expireTestLeases(test.core);
    await expect
      .poll(() => endOf(logId), { timeout: 5000 })
      .toMatchObject({
        type: "agent_message_success",
        message: { content: "You said Hello" },
      });
    expect(await readRuns()).toMatchObject([{ status: "finished", attempt: 2 }]);
    const ends = (await readTestLog(test.core, logId)).filter(({ type }) => /success/.test(type));
    expect(ends).toHaveLength(1);
  });

  it("are handed back by a worker that stops", async () => {
    const worker = await startWorker();
    const logId = await ask("slow");
    await worker.close(0);
    expect(await readRuns()).toMatchObject([{ status: "waiting", logId }]);
    expect(await countTestRuns(test.core)).toBe(1);
    // It takes no more.
    await ask("slow");
    expect(await statuses()).toEqual(["waiting", "waiting"]);
  });

  it("keep their lease while they run", async () => {
    await startWorker({ PARLEY_LEASE_MS: 1000 });
    const logId = await ask("slow");
    const [run] = await readRuns();
    const workerId = run!.workerId!;
    await expect
      .poll(async () => (await readRuns())[0]?.leaseUntil, { timeout: 5000 })
      .not.toEqual(run!.leaseUntil);
    const held = await renewLeases(test.core, { workerId, leaseMs: 1000, logIds: [logId] });
    expect(held).toEqual(new Set([logId]));
  });
});
