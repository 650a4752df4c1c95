import { sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { claimRuns } from "../../testing/runs.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { getInvocation } from "../invocations/read-invocations.ts";
import { checkOutcome } from "./check-values.ts";
import {
  archiveSandboxFunction,
  createSandboxFunction,
  readSandboxFunction,
  restoreSandboxFunction,
  updateSandboxFunction,
} from "./function-administration.ts";
import { listAdministeredFunctions, listSandboxFunctions } from "./list-functions.ts";

type Create = InputOf<(typeof endpoints)["sandboxFunctions.create"]>;
type Update = InputOf<(typeof endpoints)["sandboxFunctions.update"]>;

const simulated = <B extends object>(behaviour: B) => ({ type: "simulated" as const, behaviour });
const numbers = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
};

describe("administration of functions", () => {
  const test = workspaceTest({ per: "suite", role: "builder" });
  let foreign: CoreContext;
  let count = 0;
  beforeAll(async () => {
    const stranger = await insertTestWorkspace(test.core);
    foreign = await openTestContext(test.core, stranger, "builder");
  });

  const create = async (more: Partial<Create> = {}, by = test.context) => {
    const raw = { wId: test.workspaceId, slug: `f-${count++}`, ...more };
    const input = parseInput(endpoints["sandboxFunctions.create"], raw);
    return (await createSandboxFunction(by, input)).sandboxFunction;
  };
  const update = async (functionId: string, more: Partial<Update>, by = test.context) => {
    const raw = { wId: test.workspaceId, functionId, version: 1, ...more };
    const input = parseInput(endpoints["sandboxFunctions.update"], raw);
    return (await updateSandboxFunction(by, input)).sandboxFunction;
  };
  const move = async (functionId: string, run: typeof archiveSandboxFunction, by = test.context) =>
    (await run(by, { wId: test.workspaceId, functionId })).sandboxFunction;
  const read = (functionId: string, by = test.context) =>
    readSandboxFunction(by, { wId: test.workspaceId, functionId });
  const invoke = (functionId: string, input?: unknown) => {
    const raw = { wId: test.workspaceId, functionId, input };
    return invokeSandboxFunction(
      test.context,
      parseInput(endpoints["sandboxFunctions.invoke"], raw),
    );
  };
  const claim = async () => {
    const claimed = await claimRuns(test.core, { workerId: "t", leaseMs: 60_000, limit: 10 });
    return Promise.all(
      claimed.map(async (run) => ({ run, ...(await loadInvocation(test.core, run)) })),
    );
  };

  it("creates a function with the limits that nobody named", async () => {
    const made = await create({ slug: "sum-up" });
    expect(made).toEqual({
      sId: expect.stringMatching(/^sfn_\w{10}$/),
      slug: "sum-up",
      description: "",
      version: 1,
      inputSchema: null,
      outputSchema: null,
      timeoutMs: 60_000,
      maxOutputBytes: 262_144,
      maxLogLines: 1000,
      maxConcurrent: 20,
      retryable: false,
      requiresApproval: false,
      createdAt: test.clock.now,
      updatedAt: test.clock.now,
      status: "active",
      program: simulated({ durationMs: 0, steps: [] }),
    });
    expect(await read("sum-up")).toEqual({ sandboxFunction: made });
    expect(await read(made.sId)).toEqual({ sandboxFunction: made });
  });

  it("keeps of an update what was left out, and the versions before it", async () => {
    // Nothing is as it is by default.
    const given = {
      inputSchema: numbers,
      outputSchema: { type: "number" },
      timeoutMs: 500,
      maxOutputBytes: 2048,
      maxConcurrent: 3,
    };
    const made = await create({ ...given, program: simulated({ result: "1" }) });
    expect(made).toMatchObject(given);
    test.clock.now += 1000;
    const changed = await update(made.sId, {
      retryable: true,
      requiresApproval: true,
      maxLogLines: 0,
    });
    expect(changed).toEqual({
      ...made,
      version: 2,
      retryable: true,
      requiresApproval: true,
      maxLogLines: 0,
      updatedAt: test.clock.now,
    });
    expect(await read(made.slug)).toEqual({ sandboxFunction: changed });
    expect((await update(made.slug, { version: 2, inputSchema: {} })).inputSchema).toEqual({});
    const rows = await test.core.database.db
      .select({ version: sandboxFunctionVersions.version, by: sandboxFunctionVersions.editedBy })
      .from(sandboxFunctionVersions)
      .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, sandboxFunctionVersions.functionId))
      .where(eq(sandboxFunctions.sid, made.sId))
      .orderBy(sandboxFunctionVersions.version);
    const by = test.context.caller.user.id;
    expect(rows).toEqual([1, 2, 3].map((version) => ({ version, by })));
  });

  it("refuses an update from a version that is not the current one", async () => {
    const { sId } = await create();
    await update(sId, {});
    expect(await refusalOf(update(sId, {}))).toBe("409 version_conflict");
    expect(await refusalOf(update(sId, { version: 3 }))).toBe("409 version_conflict");
  });

  it("lets one of many updates from the same version through", async () => {
    const { sId } = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        refusalOf(update(sId, { description: `by ${index}` })),
      ),
    );
    expect(answers.filter((answer) => answer === "accepted")).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set(["accepted", "409 version_conflict"]));
    expect((await read(sId)).sandboxFunction.version).toBe(2);
  });

  it("keeps a slug for ever, and for one workspace", async () => {
    const { sId } = await create({ slug: "taken" });
    expect(await refusalOf(create({ slug: "taken" }))).toBe("409 sandbox_function_already_exists");
    await move(sId, archiveSandboxFunction);
    expect(await refusalOf(create({ slug: "taken" }))).toBe("409 sandbox_function_already_exists");
    expect((await create({ slug: "taken" }, foreign)).slug).toBe("taken");
    const racing = await Promise.all([1, 2, 3].map(() => refusalOf(create({ slug: "raced" }))));
    expect(racing.filter((answer) => answer === "accepted")).toHaveLength(1);
  });

  it.each(["", "Add", "a_b", "-a", "a-", "a--b", "sfn_x", "a".repeat(256), "ü"])(
    "refuses the slug %j",
    async (slug) => expect(await refusalOf(create({ slug }))).toBe("400 invalid_request_error"),
  );

  it.each<[string, Partial<Create>]>([
    ["timeoutMs", { timeoutMs: 99 }],
    ["timeoutMs", { timeoutMs: 600_001 }],
    ["maxOutputBytes", { maxOutputBytes: 1023 }],
    ["maxLogLines", { maxLogLines: 10_001 }],
    ["maxConcurrent", { maxConcurrent: 0 }],
    ["maxConcurrent", { maxConcurrent: 1001 }],
    ["inputSchema", { inputSchema: { description: "x".repeat(65_536) } }],
    ["inputSchema.properties.a.type", { inputSchema: { properties: { a: { type: "x" } } } }],
    ["outputSchema", { outputSchema: { $ref: "https://example.com/x" } }],
    ["program.behaviour.result", { program: simulated({ result: "$sum(" }) }],
    ["program.type", { program: { type: "e2b", language: "python", source: "x" } }],
    ["outputSchema.pattern", { outputSchema: { pattern: "(?=a)" } }],
  ])("refuses what is wrong with %s, and names it", async (path, more) => {
    const before = await test.core.database.db.$count(sandboxFunctions);
    await expect(create(more)).rejects.toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining(`Invalid request body: ${path}: `),
      issues: [{ path }],
    });
    expect(await test.core.database.db.$count(sandboxFunctions)).toBe(before);
    const { sId } = await create();
    await expect(update(sId, more as Partial<Update>)).rejects.toMatchObject({
      issues: [{ path }],
    });
    expect((await read(sId)).sandboxFunction.version).toBe(1);
  });

  it("archives and restores, each from the other state", async () => {
    const { sId } = await create();
    expect((await move(sId, archiveSandboxFunction)).status).toBe("archived");
    expect(await refusalOf(move(sId, archiveSandboxFunction))).toBe("400 invalid_request_error");
    expect(await refusalOf(invoke(sId))).toBe("404 sandbox_function_not_found");
    expect((await update(sId, { description: "Still" })).status).toBe("archived");
    expect((await move(sId, restoreSandboxFunction)).status).toBe("active");
    expect(await refusalOf(move(sId, restoreSandboxFunction))).toBe("400 invalid_request_error");
    expect((await invoke(sId)).invocation.functionId).toBe(sId);
  });

  it("shows what an archived function was invoked for", async () => {
    const { sId } = await create();
    const { invocation } = await invoke(sId);
    await move(sId, archiveSandboxFunction);
    const names = { functionId: sId, invocationId: invocation.sId };
    expect(await getInvocation(test.context, names)).toEqual({ invocation });
  });

  it("finds no function of another workspace", async () => {
    const { sId, slug } = await create();
    for (const name of [sId, slug, "nothing"]) {
      for (const call of [
        () => read(name, foreign),
        () => update(name, {}, foreign),
        () => move(name, archiveSandboxFunction, foreign),
        () => move(name, restoreSandboxFunction, foreign),
      ]) {
        expect(await refusalOf(call())).toBe("404 sandbox_function_not_found");
      }
    }
    expect((await read(sId)).sandboxFunction).toMatchObject({ version: 1, status: "active" });
  });

  it("ends an invocation in the version that it was made in", async () => {
    const strict = { type: "object", required: ["sum"] };
    const { sId } = await create({ outputSchema: strict, timeoutMs: 700, retryable: true });
    const { invocation: first } = await invoke(sId);
    await update(sId, { outputSchema: {}, timeoutMs: 900 });
    const { invocation: second } = await invoke(sId);
    const claimed = await claim();
    const timeouts = claimed.map(({ sandboxFunction }) => sandboxFunction.definition.timeoutMs);
    expect(timeouts).toEqual([700, 900]);
    const outcome = { status: "succeeded" as const, result: {} };
    const finished = claimed.map(async (one) => {
      const { definition } = one.sandboxFunction;
      const options = { workspaceId: one.run.workspaceId, origin: "run" } as const;
      const checked = await checkOutcome(test.core, { definition, outcome }, options);
      return { ...one, outcome: checked, events: [] };
    });
    await finishInvocations(test.core, await Promise.all(finished));
    const outcomeOf = async (invocationId: string) =>
      (await getInvocation(test.context, { functionId: sId, invocationId })).outcome;
    expect(await outcomeOf(first.sId)).toEqual({
      status: "errored",
      error: { code: "invalid_output", message: "result: must have required property 'sum'" },
    });
    expect(await outcomeOf(second.sId)).toEqual(outcome);
  });

  it("lists by slug, page by page: the active ones, or all with what they do", async () => {
    const by = await openTestContext(test.core, await insertTestWorkspace(test.core), "builder");
    const own = { wId: by.caller.workspace.sid };
    const slugs = ["b", "a", "d", "c", "a-b", "10"];
    const made = await Promise.all(slugs.map((slug) => create({ ...own, slug }, by)));
    await archiveSandboxFunction(by, { ...own, functionId: "c" });
    const list = async (query: object) => {
      const raw = { wId: own.wId, ...query };
      return listSandboxFunctions(by, parseInput(endpoints["sandboxFunctions.list"], raw));
    };
    const all = await list({});
    const { status: _status, program: _program, ...seen } = made[1]!;
    expect(all.sandboxFunctions[1]).toEqual(seen);
    const expected = ["10", "a", "a-b", "b", "d"].toSorted();
    expect(all.sandboxFunctions.map(({ slug }) => slug).toSorted()).toEqual(expected);
    expect(all).toMatchObject({ hasMore: false });
    const paged: string[] = [];
    let page = await list({ limit: "2" });
    for (;;) {
      paged.push(...page.sandboxFunctions.map(({ slug }) => slug));
      if (!page.hasMore) break;
      page = await list({ limit: "2", lastValue: page.lastValue });
    }
    expect(paged).toEqual(all.sandboxFunctions.map(({ slug }) => slug));
    const listAll = async (more: object) =>
      (
        await listAdministeredFunctions(
          by,
          parseInput(endpoints["sandboxFunctions.listAll"], { ...own, ...more }),
        )
      ).sandboxFunctions;
    expect(await listAll({})).toHaveLength(6);
    expect(await listAll({ status: "archived" })).toMatchObject([
      { slug: "c", status: "archived" },
    ]);
  });
});
