import { events, invocations, logs, runs } from "@parley/db";
import { isNightly } from "@parley/db/testing";
import { endpoints, type InvocationEvent, parseInput } from "@parley/schema";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  readTestLog,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { SandboxFunction } from "../functions/sandbox-functions.ts";
import { appendEvents } from "../log/append.ts";
import type { Hint } from "../log/bus.ts";
import { inTransaction } from "../log/transaction.ts";
import { renewLeases } from "../runs/leases.ts";
import { cancelInvocation, cancelInvocations } from "./cancel-invocation.ts";
import { finishInvocations } from "./finish-invocations.ts";
import { invokeSandboxFunction } from "./invoke.ts";
import { loadInvocation } from "./load-invocation.ts";
import { insertInvocations } from "./write-invocations.ts";
import { getInvocation, listInvocations } from "./read-invocations.ts";

const ROUNDS = isNightly ? 30 : 10;

const cancelled = {
  status: "errored",
  error: { code: "cancelled", message: "The invocation was cancelled" },
} as const;

describe("stored invocations", () => {
  const test = workspaceTest({ parts: { safetyPollMs: 60_000 }, per: "suite" });
  let foreign: CoreContext;
  let add: SandboxFunction;
  beforeAll(async () => {
    add = await insertTestFunction(test.core, test.workspace, { slug: "add" });
    await insertTestFunction(test.core, test.workspace, { slug: "other" });
    const strict = await insertTestFunction(test.core, test.workspace, { slug: "strict" });
    await test.core.database.db.execute(sql`update sandbox_function_versions
        set input_schema = '{"type": "object", "required": ["a"]}' where function_id = ${strict.id}`);
    foreign = await openTestContext(test.core, await insertTestWorkspace(test.core));
  });

  const db = () => test.core.database.db;
  const invoke = async (functionId = "add", input: unknown = null, by = test.context) => {
    const wId = by.caller.workspace.sid;
    const endpoint = endpoints["sandboxFunctions.invoke"];
    return invokeSandboxFunction(by, parseInput(endpoint, { wId, functionId, input }));
  };
  const idOf = async () => (await invoke()).invocation.sId;
  const named = (invocationId: string, functionId = "add") => ({ functionId, invocationId });
  const claim = async () => {
    const claimed = await claimRuns(test.core, { workerId: "t", leaseMs: 60_000, limit: 100 });
    return Promise.all(
      claimed.map(async (run) => ({
        run,
        ...(await loadInvocation(test.core, run)),
        outcome: { status: "succeeded" as const, result: 1 },
        events: [],
      })),
    );
  };
  const typesOf = async (logId: string) =>
    (await readTestLog(test.core, logId)).map((event) =>
      event.type.replace("sandbox_function_invocation_", ""),
    );

  it("ends at once an invocation whose input the schema refuses", async () => {
    const { invocation, outcome } = await invoke("strict", { b: 1 });
    const message = "input: must have required property 'a'";
    expect(outcome).toEqual({ status: "errored", error: { code: "invalid_input", message } });
    expect(invocation.status).toBe("errored");
    const [created, refused, ...others] = (await readTestLog(
      test.core,
      invocation.sId,
    )) as InvocationEvent[];
    expect(created).toMatchObject({ invocation: { ...invocation, status: "created" } });
    expect(refused).toMatchObject({
      type: "sandbox_function_invocation_error",
      invocationId: invocation.sId,
      functionId: invocation.functionId,
      error: { code: "invalid_input", message },
    });
    expect(others).toEqual([]);
    expect(await db().select().from(runs)).toMatchObject([
      { status: "finished", outcome: "errored", attempt: 0, startedAt: null },
    ]);
    expect(await db().select().from(logs)).toMatchObject([
      { lastSeq: 2, closedAt: expect.any(Date) },
    ]);
    const read = await getInvocation(test.context, named(invocation.sId, "strict"));
    expect(read).toEqual({ invocation, outcome });
    expect(await cancelInvocation(test.context, named(invocation.sId, "strict"))).toEqual(read);
    expect((await invoke("strict", { a: 1 })).invocation.status).toBe("created");
  });

  it("starts an invocation inside of a transaction, and leaves nothing when that fails", async () => {
    const request = {
      sandboxFunction: add,
      workspaceId: test.context.caller.workspace.id,
      apiKeyId: null,
      ownerId: null,
      actionId: 7,
      input: { json: '{"a":1}', error: undefined },
      timezone: "Europe/Paris",
    };
    const hints: Hint[] = [];
    const row = await inTransaction(test.core, async (transaction) => {
      const [inserted] = await insertInvocations(test.core, transaction, [request]);
      hints.push(...transaction.afterCommit);
      return inserted!;
    });
    const [stored] = await db().select().from(invocations);
    expect(row).toEqual(stored);
    expect(stored).toMatchObject({ actionId: 7, apiKeyId: null, ownerId: null, input: '{"a":1}' });
    expect(hints).toEqual([{ topic: "runs", cause: "added", kind: "invocation" }]);
    expect(await typesOf(row.sid)).toEqual(["created"]);
    expect(await claim()).toMatchObject([{ invocation: { id: row.id } }]);
    const failing = inTransaction(test.core, async (transaction) => {
      await insertInvocations(test.core, transaction, [{ ...request, actionId: 8 }]);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await db().$count(invocations)).toBe(1);
    expect(await db().$count(events)).toBe(1);
  });

  it("cancels an invocation that waits, and nobody claims it any more", async () => {
    const sid = await idOf();
    test.clock.now += 1000;
    const answer = await cancelInvocation(test.context, named(sid));
    expect(answer).toMatchObject({
      invocation: { sId: sid, status: "errored" },
      outcome: cancelled,
    });
    expect(await typesOf(sid)).toEqual(["created", "error"]);
    expect(await db().select().from(invocations)).toMatchObject([{ finishedAt: test.clock.now }]);
    expect(await db().select().from(runs)).toMatchObject([{ status: "finished" }]);
    expect(await claim()).toEqual([]);
    expect(await cancelInvocation(test.context, named(sid, add.sid))).toEqual(answer);
    expect(await getInvocation(test.context, named(sid))).toEqual(answer);
    expect(await typesOf(sid)).toEqual(["created", "error"]);
  });

  it("stops the worker of one that runs, which writes nothing more", async () => {
    const sid = await idOf();
    const [claimed] = await claim();
    const hints: Hint[] = [];
    const unsubscribe = test.core.bus.subscribe("runs", (hint) => hints.push(hint));
    await cancelInvocation(test.context, named(sid));
    unsubscribe();
    expect(hints).toEqual([{ topic: "runs", cause: "ended", logIds: [sid] }]);
    expect(await finishInvocations(test.core, [claimed!])).toEqual(new Set());
    const guard = { logId: sid, fence: claimed!.run.attempt };
    const line = {
      type: "sandbox_function_invocation_log" as const,
      created: 0,
      invocationId: sid,
      functionId: add.sid,
      stream: "stdout" as const,
      text: "late",
    };
    expect(await appendEvents(db(), [{ logId: sid, events: [line], guard }], [])).toEqual(
      new Map(),
    );
    expect(await renewLeases(test.core, { workerId: "t", leaseMs: 1, logIds: [sid] })).toEqual(
      new Set(),
    );
    expect(await typesOf(sid)).toEqual(["created", "error"]);
  });

  it("leaves one that has ended as it is", async () => {
    const sid = await idOf();
    await finishInvocations(test.core, await claim());
    const outcome = { status: "succeeded", result: 1 };
    expect(await cancelInvocation(test.context, named(sid))).toMatchObject({ outcome });
    expect(await typesOf(sid)).toEqual(["created", "result"]);
  });

  it("finds neither another function's nor another workspace's", async () => {
    const sid = await idOf();
    for (const call of [getInvocation, cancelInvocation]) {
      const unknown = "404 sandbox_function_invocation_not_found";
      expect(await refusalOf(call(test.context, named(sid, "other")))).toBe(unknown);
      expect(await refusalOf(call(test.context, named("sfi_unknown")))).toBe(unknown);
      for (const name of ["add", add.sid]) {
        const answer = await refusalOf(call(foreign, named(sid, name)));
        expect(answer).toBe("404 sandbox_function_not_found");
      }
    }
    expect((await getInvocation(test.context, named(sid))).invocation.status).toBe("created");
  });

  it(`ends each once, with ${ROUNDS} rounds of workers that finish and 50 cancels in the meantime`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const sids = await Promise.all([idOf(), idOf(), idOf()]);
      const claimed = await claim();
      const rows = sids.map((sid) => ({ sid, functionSid: add.sid }));
      const [byWorkers, together] = await Promise.all([
        finishInvocations(test.core, round % 2 === 0 ? claimed : claimed.toReversed()),
        inTransaction(test.core, async (transaction) =>
          cancelInvocations(test.core, transaction, rows.toReversed()),
        ),
        ...Array.from({ length: 50 }, async (_, index) =>
          cancelInvocation(test.context, named(sids[index % 3]!)),
        ),
        renewLeases(test.core, { workerId: "t", leaseMs: 60_000, logIds: sids }),
      ]);
      for (const sid of sids) {
        const types = await typesOf(sid);
        expect(types).toHaveLength(2);
        const { outcome } = await getInvocation(test.context, named(sid));
        expect(types[1]).toBe(byWorkers.has(sid) ? "result" : "error");
        const ended = byWorkers.has(sid) ? { status: "succeeded", result: 1 } : cancelled;
        expect(outcome).toEqual(ended);
        expect(byWorkers.has(sid) && together.has(sid)).toBe(false);
      }
    }
    expect(new Set((await db().select().from(runs)).map(({ status }) => status))).toEqual(
      new Set(["finished"]),
    );
  });

  it("lists the newest first, a page at a time, while others are made", async () => {
    const sids: string[] = [];
    for (let count = 0; count < 7; count++) sids.push(await idOf());
    await invoke("other");
    const list = (query: object, by = test.context) =>
      listInvocations(
        by,
        parseInput(endpoints["invocations.list"], {
          wId: by.caller.workspace.sid,
          functionId: "add",
          ...query,
        }),
      );
    const seen: string[] = [];
    let page = await list({ limit: "3" });
    for (;;) {
      seen.push(...page.invocations.map(({ sId }) => sId));
      if (!page.hasMore) break;
      await idOf();
      page = await list({ limit: "3", lastValue: page.lastValue });
    }
    expect(seen).toEqual(sids.toReversed());
    await cancelInvocation(test.context, named(sids[0]!));
    const ended = await list({ status: "errored" });
    expect(ended.invocations).toMatchObject([
      { sId: sids[0], functionId: add.sid, status: "errored" },
    ]);
    expect(ended.hasMore).toBe(false);
    const waiting = await list({ status: "created", limit: "2" });
    expect(waiting.invocations).toHaveLength(2);
    expect(waiting.hasMore).toBe(true);
    expect(await list({ status: "succeeded" })).toEqual({
      invocations: [],
      hasMore: false,
      lastValue: null,
    });
    expect(await refusalOf(list({}, foreign))).toBe("404 sandbox_function_not_found");
  });

  it("looks for those in a state in bounded pages", async () => {
    const oldest = await idOf();
    // As many as are looked at for a page: the next begins with the one before them.
    await db().execute(sql`
        insert into invocations (sid, workspace_id, function_id, function_version, status, input, created_at)
        select 'sfi_' || n, ${test.context.caller.workspace.id}, ${add.id}, 1, 'errored', 'null', 0
        from generate_series(1, 10000) n`);
    const list = (query: object) =>
      listInvocations(
        test.context,
        parseInput(endpoints["invocations.list"], {
          wId: test.workspaceId,
          functionId: "add",
          status: "created",
          ...query,
        }),
      );
    const first = await list({});
    expect(first).toMatchObject({ invocations: [], hasMore: true });
    const second = await list({ lastValue: first.lastValue });
    expect(second).toMatchObject({ invocations: [{ sId: oldest }], hasMore: false });
  });
});
