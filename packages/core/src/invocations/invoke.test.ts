import { invocations, logs, runs } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import { insertTestFunction, insertTestWorkspace } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { SandboxFunctionRow } from "../data-access/rows.ts";
import { readEvents, readLogEnd } from "../log/read-log.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { type FinishedInvocation, finishInvocations } from "./finish-invocations.ts";
import { findInvocationStream, invokeSandboxFunction } from "./invoke.ts";
import { loadInvocation, readLargeInvocation } from "./load-invocation.ts";

const failure = { code: "threw", message: "It threw" } as const;

describe("invocations", () => {
  const test = workspaceTest({ parts: { safetyPollMs: 60_000 }, per: "suite" });
  let add: SandboxFunctionRow;
  let other: SandboxFunctionRow;
  beforeAll(async () => {
    add = await insertTestFunction(test.core, test.workspace, { slug: "add" });
    other = await insertTestFunction(test.core, test.workspace, { slug: "other", retryable: true });
    const stranger = await insertTestWorkspace(test.core);
    await insertTestFunction(test.core, stranger, { slug: "stranger" });
  });

  const db = () => test.core.database.db;
  const invoke = (functionId: string, body: object = {}, preferredWaitMs = 0) => {
    const wId = test.workspaceId;
    const patient = Object.assign(Object.create(test.context) as CoreContext, { preferredWaitMs });
    const endpoint = endpoints["sandboxFunctions.invoke"];
    return invokeSandboxFunction(patient, parseInput(endpoint, { wId, functionId, ...body }));
  };
  const claim = async (leaseMs = 60_000): Promise<FinishedInvocation[]> => {
    const claimed = await claimRuns(test.core, { workerId: "test", leaseMs, limit: 10 });
    return Promise.all(
      claimed.map(async (run) => ({
        ...(await loadInvocation(test.core, run)),
        run,
        outcome: { status: "succeeded" as const, result: { sum: 3 } },
        events: [],
      })),
    );
  };
  const eventsOf = async (logId: string) =>
    (await readEvents(db(), logId, 0)).map(({ payload }) => JSON.parse(payload) as unknown);

  it.each([
    ["its id", () => add.sid],
    ["its slug", () => "add"],
  ])("invokes a function by %s", async (_name, id) => {
    const { invocation, outcome } = await invoke(id(), { input: { a: 1, b: 2 } });
    expect(outcome).toBeUndefined();
    expect(invocation).toEqual({
      sId: expect.stringMatching(/^sfi_\w{10}$/),
      functionId: add.sid,
      status: "created",
      createdAt: new Date(test.clock.now).toISOString(),
    });
    expect(await eventsOf(invocation.sId)).toEqual([
      {
        type: "sandbox_function_invocation_created",
        created: test.clock.now,
        invocation,
      },
    ]);
  });

  it.each([undefined, null, 0, "", [1.5e300, "ü"], { b: 1, a: { c: [] } }])(
    "hands the input %j on as it came",
    async (input) => {
      await invoke("add", { input });
      const [claimed] = await claim();
      expect(JSON.parse(claimed!.invocation.input)).toEqual(input ?? null);
    },
  );

  it.each(["unknown", "stranger"])("refuses the function %s and writes nothing", async (id) => {
    await expect(invoke(id)).rejects.toMatchObject({
      type: "sandbox_function_not_found",
      status: 404,
    });
    for (const table of [invocations, logs, runs]) expect(await db().$count(table)).toBe(0);
  });

  it("comes with a claim only if its input is small", async () => {
    const input = { a: 1, b: 2, note: "x".repeat(100_000) };
    const { invocation } = await invoke("add", { input });
    const [run] = await claimRuns(test.core, { workerId: "test", leaseMs: 60_000, limit: 10 });
    expect(run).toMatchObject({ logId: invocation.sId, subject: null });
    const read = await readLargeInvocation(test.core, run!, new AbortController().signal);
    expect(JSON.parse(read.subject?.input ?? "")).toEqual(input);
  });

  it("lets only a retryable function have more than one attempt", async () => {
    await invoke("add");
    await invoke("other");
    const rows = await db().select().from(runs).orderBy(runs.id);
    expect(rows.map((row) => row.maxAttempts)).toEqual([1, 2]);
  });

  const outcomes: { outcome: FinishedInvocation["outcome"]; event: object }[] = [
    {
      outcome: { status: "succeeded", result: { sum: 3 } },
      event: { type: "sandbox_function_invocation_result", result: { sum: 3 } },
    },
    {
      outcome: { status: "succeeded", result: null },
      event: { type: "sandbox_function_invocation_result", result: null },
    },
    {
      outcome: { status: "errored", error: failure },
      event: { type: "sandbox_function_invocation_error", error: failure },
    },
  ];
  it.each(outcomes)(
    "answers with the outcome $outcome when it comes in time",
    async ({ outcome, event }) => {
      const unsubscribe = test.core.bus.subscribe("runs", () => {
        unsubscribe();
        void claim().then(([one]) => finishInvocations(test.core, [{ ...one!, outcome }]));
      });
      const answer = await invoke("add", {}, 5000);
      expect(answer).toMatchObject({ invocation: { status: outcome.status }, outcome });
      const { sId: invocationId } = answer.invocation;
      expect((await eventsOf(invocationId)).at(-1)).toEqual({
        created: test.clock.now,
        invocationId,
        functionId: add.sid,
        ...event,
      });
      expect(await readLogEnd(db(), invocationId)).toEqual({ lastSeq: 2, closed: true });
      expect(await db().select().from(runs)).toMatchObject([{ status: "finished" }]);
    },
  );

  it("answers without an outcome when none comes in time", async () => {
    const answer = await invoke("add", {}, 10);
    expect(answer.invocation.status).toBe("created");
    expect(answer).not.toHaveProperty("outcome");
  });

  it("ends an invocation once, and leaves out alone one that was taken over", async () => {
    await invoke("add");
    await invoke("other");
    const [stale, good] = await claim(-1);
    const options = { workerId: "other", leaseMs: 60_000, limit: 1 };
    const [taken] = await takeOverRuns(test.core, options);
    const finish = (...finished: FinishedInvocation[]) => finishInvocations(test.core, finished);
    expect(await finish(stale!, good!)).toEqual(new Set([good!.run.logId]));
    expect(await finish(good!)).toEqual(new Set());
    expect(taken).toMatchObject({ id: stale!.run.id, exhausted: true });
    expect(await finish({ ...stale!, run: taken! })).toEqual(new Set([stale!.run.logId]));
    expect(await eventsOf(stale!.run.logId)).toHaveLength(2);
  });

  describe("findInvocationStream", () => {
    const find = (functionId: string, invocationId: string, include: string[] = []) =>
      findInvocationStream(test.context, { functionId, invocationId, include });

    it.each([
      { include: [""], hidden: ["log", "progress"] },
      { include: ["log"], hidden: ["progress"] },
      { include: ["progress", "log", "other"], hidden: [] },
      { include: ["constructor", "result"], hidden: ["log", "progress"] },
    ])("hides what was not asked for with $include", async ({ include, hidden }) => {
      const { invocation } = await invoke("add");
      const stream = await find("add", invocation.sId, include);
      expect(stream).toMatchObject({ logId: invocation.sId, enveloped: false });
      const types = hidden.map((name) => `sandbox_function_invocation_${name}`);
      expect([...stream.hidden].toSorted()).toEqual(types.toSorted());
    });

    it("finds no invocation under another function", async () => {
      const { invocation } = await invoke("add");
      const notFound = { type: "sandbox_function_invocation_not_found" };
      await expect(find(other.sid, invocation.sId)).rejects.toMatchObject(notFound);
      await expect(find("add", "sfi_unknown")).rejects.toMatchObject(notFound);
      await expect(find("stranger", invocation.sId)).rejects.toMatchObject({
        type: "sandbox_function_not_found",
      });
    });
  });
});
