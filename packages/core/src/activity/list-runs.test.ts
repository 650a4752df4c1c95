import { runs, sandboxFunctions } from "@parley/db";
import { endpoints, type InputOf, parseInput, type RunPage } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { endTestInvocations, endTestTurns, testTurn } from "../../testing/finished-runs.ts";
import { refusalOf } from "../../testing/operator.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { createTestToolServers } from "../../testing/tool-servers.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { cancelInvocation } from "../invocations/cancel-invocation.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { registerTool } from "../tools/register-tools.ts";
import { saveStep } from "../turns/save-step.ts";
import { listRuns } from "./list-runs.ts";

type Query = Omit<InputOf<(typeof endpoints)["runs.list"]>, "wId">;

const url = "https://shop.test/mcp";

describe("the list of runs", () => {
  const servers = createTestToolServers();
  const test = workspaceTest({ parts: { toolServers: servers }, agents: ["ann", "bob"] });
  let builder: CoreContext;
  beforeAll(() => {
    servers.answers.set(url, []);
  });
  beforeEach(async () => {
    builder = await openTestContext(test.core, test.workspace, "builder");
    for (const slug of ["add", "ask", "strict"]) {
      await insertTestFunction(test.core, test.workspace, {
        slug,
        requiresApproval: slug === "ask",
      });
    }
    await db().execute(sql`update sandbox_function_versions set input_schema = '{"type": "object"}'
      where function_id = (select max(id) from sandbox_functions where slug = 'strict')`);
  });

  const db = () => test.core.database.db;
  const list = (query: Query = {}, by = test.operator.context): Promise<RunPage> =>
    listRuns(by, parseInput(endpoints["runs.list"], { wId: test.workspaceId, ...query }));
  const idsOf = ({ runs: listed }: RunPage) => listed.map(({ id }) => id);
  const statesOf = ({ runs: listed }: RunPage) =>
    listed.map(({ kind, status }) => `${kind} ${status}`);
  const invoke = async (functionId = "add") => {
    test.clock.now += 10;
    const { sId } = (await invokeSandboxFunction(test.context, { functionId, input: null }))
      .invocation;
    return sId;
  };
  const ask = async (agentId = "ann", body = {}) => {
    test.clock.now += 10;
    const { conversation } = await createTestConversation(test.context, [agentId], body);
    return { conversationId: conversation.sId, messageId: conversation.content[1]![0]!.sId };
  };
  /** A turn whose first step has called this function. */
  const call = async (name: string, body = {}) => {
    const answer = await ask("ann", body);
    const [claimed] = await claimTestTurns(test.core);
    const calls = [{ id: "c", name, params: {} }];
    const texts = { rawContents: [{ step: 0, content: "" }], chainOfThought: null };
    await saveStep(test.core, { ...claimed!, step: 0, calls, events: [], ...texts });
    return answer;
  };

  it("has turns and invocations together, newest first", async () => {
    const first = await invoke();
    const answer = await ask();
    const second = await invoke();
    const listed = await list();
    expect(idsOf(listed)).toEqual([second, answer.messageId, first]);
    expect(listed).toMatchObject({ hasMore: false });
    expect(statesOf(listed)).toEqual(["invocation waiting", "turn waiting", "invocation waiting"]);
    expect(listed.runs[0]).toEqual({
      id: second,
      kind: "invocation",
      status: "waiting",
      function: { sId: expect.stringMatching(/^sfn_/), slug: "add" },
      tool: null,
      agent: null,
      conversationId: null,
      messageId: null,
      createdAt: test.clock.now,
      startedAt: null,
      endedAt: null,
      durationMs: null,
      usage: null,
      attempts: 0,
      error: null,
    });
  });

  it("says how and when a run ended", async () => {
    const answer = await ask();
    test.clock.now += 500;
    await endTestTurns(test.core, {
      code: "provider_error",
      message: "Overloaded",
      metadata: { at: "noon" },
    });
    expect((await list()).runs).toEqual([
      {
        id: answer.messageId,
        kind: "turn",
        status: "errored",
        function: null,
        tool: null,
        agent: { sId: "ann", name: "ann" },
        ...answer,
        createdAt: test.clock.now - 500,
        startedAt: test.clock.now - testTurn.durationMs,
        endedAt: test.clock.now,
        durationMs: testTurn.durationMs,
        usage: testTurn.usage,
        attempts: 1,
        error: { code: "provider_error", message: "Overloaded" },
      },
    ]);
    const [row] = await db().select().from(runs);
    expect(row).toMatchObject({ outcome: "errored", ...testTurn.usage });
  });

  it.each(["in rows of runs", "only in messages and invocations, as before"])(
    "knows each end (%s)",
    async (where) => {
      await invoke();
      await endTestInvocations(test.core);
      await cancelInvocation(test.context, { functionId: "add", invocationId: await invoke() });
      await invoke("strict");
      await ask();
      await endTestTurns(test.core);
      const { conversationId, messageId } = await ask();
      await cancelMessages(test.context, { cId: conversationId, messageIds: [messageId] });
      if (where !== "in rows of runs") {
        await db().update(runs).set({ outcome: null, finishedAt: null, startedAt: null });
      }
      const listed = await list();
      expect(statesOf(listed)).toEqual([
        "turn cancelled",
        "turn succeeded",
        "invocation errored",
        "invocation cancelled",
        "invocation succeeded",
      ]);
      expect(listed.runs.map(({ endedAt, createdAt }) => endedAt === createdAt)).not.toContain(
        false,
      );
      expect(listed.runs[2]).toMatchObject({ attempts: 0, error: { code: "invalid_input" } });
      for (const status of ["succeeded", "cancelled", "errored"] as const) {
        const found = await list({ status });
        expect(found.runs.map((run) => run.status)).toEqual(
          listed.runs.map((run) => run.status).filter((one) => one === status),
        );
      }
    },
  );

  it("tells what waits for a person from what waits for what it called", async () => {
    const asking = await call("ask");
    const calling = await call("add");
    const listed = await list();
    expect(statesOf(listed).toSorted()).toEqual([
      "invocation waiting",
      "turn blocked",
      "turn suspended",
    ]);
    expect(idsOf(await list({ status: "blocked" }))).toEqual([asking.messageId]);
    // An agent's invocation names the message that called it.
    const [called] = (await list({ kind: "invocation" })).runs;
    expect(called).toMatchObject({ ...calling, agent: { sId: "ann" }, function: { slug: "add" } });
    await claimRuns(test.core, { workerId: "w", leaseMs: 60_000, limit: 10 });
    expect(idsOf(await list({ status: "running" }))).toEqual([called!.id]);
  });

  it("shows a call of an MCP server as that", async () => {
    await call("add");
    const { space } = await test.operator.createSpace({ wId: test.workspaceId, name: "Tools" });
    const given = { wId: test.workspaceId, spaceId: space.sId, url, name: "Shop" };
    const { tool } = await registerTool(
      test.operator.context,
      parseInput(endpoints["tools.register"], given),
    );
    const slug = eq(sandboxFunctions.slug, "add");
    await db().update(sandboxFunctions).set({ toolId: tool.id }).where(slug);
    const { runs: listed } = await list({ kind: "tool_call" });
    expect(listed).toMatchObject([{ function: null, tool: { sId: tool.sId, name: "Shop" } }]);
    expect((await list({ functionId: "add" })).runs).toEqual([]);
    await db().update(sandboxFunctions).set({ toolId: null }).where(slug);
  });

  it("pages without a gap or a repeat, also among runs of one time", async () => {
    const time = test.clock.now;
    for (let count = 0; count < 5; count++) {
      await invoke(count % 2 === 0 ? "add" : "ask");
      test.clock.now = time;
    }
    const seen: string[] = [];
    let lastValue: string | undefined;
    for (let page = 1; page <= 3; page++) {
      const listed = await list({ limit: 2, ...(lastValue !== undefined && { lastValue }) });
      expect(listed.hasMore).toBe(page < 3);
      seen.push(...idsOf(listed));
      lastValue = listed.lastValue!;
    }
    expect(seen).toEqual(idsOf(await list()));
    expect(new Set(seen).size).toBe(5);
    expect(await list({ lastValue: lastValue! })).toEqual({
      runs: [],
      hasMore: false,
      lastValue: null,
    });
  });

  it("filters by kind, function, agent and time", async () => {
    const added = await invoke("add");
    const asked = await invoke("ask");
    const from = test.clock.now + 5;
    const ofAnn = await ask("ann");
    const to = test.clock.now + 5;
    const ofBob = await ask("bob");
    const found = async (query: Query) => idsOf(await list(query));
    expect(await found({ kind: "turn" })).toEqual([ofBob.messageId, ofAnn.messageId]);
    expect(await found({ kind: "invocation" })).toEqual([asked, added]);
    expect(await found({ functionId: "add" })).toEqual([added]);
    const [{ function: named }] = (await list({ functionId: "ask" })).runs as [RunPage["runs"][0]];
    expect(await found({ functionId: named!.sId })).toEqual([asked]);
    expect(await found({ agentId: "ann" })).toEqual([ofAnn.messageId]);
    expect(await found({ agentId: "nobody" })).toEqual([]);
    expect(await found({ from, to })).toEqual([ofAnn.messageId]);
    expect(await found({ from })).toEqual([ofBob.messageId, ofAnn.messageId]);
    expect(await found({ to: from, kind: "turn" })).toEqual([]);
  });

  it("bounds the search for a page, and says that there is more to look at", async () => {
    const id = await invoke("ask");
    const functionId = sql`(select max(id) from sandbox_functions where slug = 'add')`;
    await db().execute(sql`
      insert into runs (log_id, kind, workspace_id, subject_id, function_id, status, priority, attempt,
        max_attempts, run_after, created_at, outcome, finished_at)
      select 'sfi_many' || n, 'invocation', ${test.workspace.id}, -n, ${functionId}, 'finished', 0, 1, 1, now(),
        ${test.clock.now}::bigint + n, 'succeeded', 0
      from generate_series(1, 10000) n`);
    const first = await list({ functionId: "ask" });
    expect(first).toMatchObject({ runs: [], hasMore: true });
    const second = await list({ functionId: "ask", lastValue: first.lastValue! });
    expect(second).toMatchObject({ runs: [{ id }], hasMore: false });
    expect((await list({ limit: 100 })).runs).toHaveLength(100);
  });

  it("shows what the caller reaches, and operators everything", async () => {
    const closed = { wId: test.workspaceId, name: "Closed", isRestricted: true };
    const keyIds = [test.context.caller.apiKey.sid];
    const { space } = await test.operator.createSpace({ ...closed, keyIds });
    const open = await call("add");
    await call("add", { spaceId: space.sId });
    const byKey = await invoke();
    expect((await list()).runs).toHaveLength(5);
    const reached = await list({}, builder);
    expect(reached.runs).toHaveLength(3);
    expect(idsOf(reached)[0]).toBe(byKey);
    expect(reached.runs.map(({ conversationId }) => conversationId)).toEqual([
      null,
      open.conversationId,
      open.conversationId,
    ]);
    const elsewhere = await openTestContext(
      test.core,
      await insertTestWorkspace(test.core),
      "builder",
    );
    // The workspace of a key is its own, whatever the path says: that is refused before.
    expect((await list({}, elsewhere)).runs).toEqual([]);
    const gone = parseInput(endpoints["runs.list"], { wId: "nowhere" });
    expect(await refusalOf(listRuns(test.operator.context, gone))).toBe("404 workspace_not_found");
  });
});
